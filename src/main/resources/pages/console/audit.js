/** The audit: who changed what, newest first. */
import { make } from '../page.js';
import { follow } from './live.js';
import { orderRoute } from './order.js';
import { attempt, card, codeLink, field, form, heading, input, link, notice, pairs, table }
  from './parts.js';
import { call } from './session.js';
import { explain, many, stamp } from './words.js';

const PAGE = 1000;
/** The service returns the oldest first, so all is read: this many pages at once, then the rest. */
const PAGES_MAX = 20;
const EVERY_MS = 3_000;
const SHOWN_MAX = 200;
const OFFER = /^(sale|rain|order|item|grab|return)\./;

export function auditPage(main, signal) {
  const found = make('div');
  const trail = new Trail();
  const filter = input('text', { type: 'search' });
  const show = () => found.replaceChildren(...list(trail, filter));
  filter.addEventListener('input', () => { if (trail.isRead) show(); });
  main.replaceChildren(heading('Audit'),
    make('p', {}, 'Every change by an operator, a payer or the service itself. Changes by buyers '
      + 'are in the history of each order.'),
    form(() => {}, field('Filter', filter, 'For example a sale, a name or an order.')),
    found);
  attempt(found, async () => {
    for (let pages = 0; pages < PAGES_MAX && !trail.isWhole; pages++) {
      trail.add(await call(trail.path, { signal }));
    }
    trail.isRead = true;
    trail.isCut = !trail.isWhole;
    follow(() => trail.path, {
      every: EVERY_MS, signal, time: () => null,
      show: page => { if (trail.add(page)) show(); },
      refused: error => found.replaceChildren(notice(explain(error), 'failure')),
    });
    return list(trail, filter);
  });
}

/** The changes that have been read. */
class Trail {
  changes = [];
  isRead = false;
  /** Whether there were too many changes to read at once. */
  isCut = false;
  isWhole = false;
  #known = new Set();
  #next = null;

  get path() {
    return `audit?limit=${PAGE}${this.#next ? `&after=${this.#next}` : ''}`;
  }

  /**
   * Adds a page, and returns whether anything is new. Without a next cursor the last page is read
   * again, with new changes at its end.
   */
  add({ changes, next }) {
    const before = this.changes.length;
    const wasCut = this.isCut;
    for (const change of changes) {
      const text = JSON.stringify(change);
      if (!this.#known.has(text)) {
        this.#known.add(text);
        this.changes.unshift({ ...change, text: text.toLowerCase() });
      }
    }
    this.isWhole = !next;
    this.#next = next ?? this.#next;
    if (this.isWhole) this.isCut = false;
    return this.changes.length > before || wasCut !== this.isCut;
  }
}

function list(trail, filter) {
  const wanted = filter.value.trim().toLowerCase();
  const found = trail.changes.filter(change => change.text.includes(wanted));
  const summary = `${many(found.length, 'change')}${found.length > SHOWN_MAX
    ? `; the newest ${SHOWN_MAX} are shown` : ''}.${trail.isCut
    ? ' Newer changes are being loaded.' : ''}`;
  if (!found.length) return [notice(trail.isCut ? summary : 'No changes.')];
  const { frame } = table('Changes', ['Time', 'Actor', 'Action', 'Subject', 'Change', 'Cause'],
    found.slice(0, SHOWN_MAX).map(changeRow));
  frame.classList.add('cards');
  return [make('p', { className: 'hint' }, summary), frame];
}

function changeRow({ at, actor, action, subject, before, after, cause }) {
  return card(stamp(at), { Actor: make('code', {}, actor), Action: action,
    Subject: subjectOf(action, subject), Change: changeOf(before, after), Cause: cause ?? '–' });
}

/** The subject of a change, with links: a sale and its order, or a rain and its grab. */
function subjectOf(action, subject) {
  const [, kind] = OFFER.exec(action) ?? [];
  if (!kind) return make('code', {}, subject);
  const [id, more] = subject.split('/');
  const offer = link(id, `${/rain|grab/.test(kind) ? 'rains' : 'sales'}/${id}`);
  return make('span', { className: 'facts' }, offer, ...!more ? [] : [/order|return/.test(kind)
    ? codeLink(more, orderRoute(id, more)) : make('code', {}, more)]);
}

/** The values before and after; long ones are collapsed. */
function changeOf(before, after) {
  if (isLong(before) || isLong(after)) {
    return make('details', {}, make('summary', {}, before === undefined ? 'details' : 'before '
      + 'and after'), pairs([...facts(before, 'was '), ...facts(after)]));
  }
  if (before === undefined) return after === undefined ? '–' : String(after);
  // The action already names the change: paused or resumed.
  if (typeof after === 'boolean') return '–';
  return `${before} → ${after === undefined ? 'nothing' : after}`;
}

function isLong(value) {
  return value !== null && typeof value === 'object';
}

function facts(value, prefix = '') {
  if (!isLong(value)) return value === undefined ? [] : [[prefix || 'is', String(value)]];
  return Object.entries(value).map(([name, fact]) => [prefix + name,
    make('code', {}, isLong(fact) ? JSON.stringify(fact) : String(fact))]);
}

/** The audit: who changed what, newest first. */
import { make } from '../page.js';
import { follow } from './live.js';
import { orderRoute } from './order.js';
import { attempt, card, codeLink, field, form, heading, input, link, notice, pairs, table }
  from './parts.js';
import { call } from './session.js';
import { explain, many, stamp } from './words.js';

const PAGE = 1000;
/** The service tells the oldest first, so all is read: so many pages at once, the rest later. */
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
    make('p', {}, 'Every change that an operator, a payer or the service itself made. What buyers '
      + 'did to their own orders stands with each order.'),
    form(() => {}, field('Only with', filter, 'Such as a sale, a name or an order.')),
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

/** What was read of the audit. */
class Trail {
  changes = [];
  isRead = false;
  /** Whether so much was there that not all could be read at once. */
  isCut = false;
  isWhole = false;
  #known = new Set();
  #next = null;

  get path() {
    return `audit?limit=${PAGE}${this.#next ? `&after=${this.#next}` : ''}`;
  }

  /**
   * Takes a page; says whether anything is new. Without a next cursor the last page comes again,
   * with what is new behind it.
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
  const told = `${many(found.length, 'change')}${found.length > SHOWN_MAX
    ? `, the newest ${SHOWN_MAX} of them shown` : ''}.${trail.isCut
    ? ' Newer ones are being read.' : ''}`;
  if (!found.length) return [notice(trail.isCut ? told : 'There is none.')];
  const { frame } = table('Changes', ['When', 'Who', 'What', 'Of', 'Change', 'Why'],
    found.slice(0, SHOWN_MAX).map(changeRow));
  frame.classList.add('cards');
  return [make('p', { className: 'hint' }, told), frame];
}

function changeRow({ at, actor, action, subject, before, after, cause }) {
  return card(stamp(at), { Who: make('code', {}, actor), What: action,
    Of: subjectOf(action, subject), Change: changeOf(before, after), Why: cause ?? '–' });
}

/** What was changed; an order stands below its sale, a grab below its rain. */
function subjectOf(action, subject) {
  const [, kind] = OFFER.exec(action) ?? [];
  if (!kind) return make('code', {}, subject);
  const [id, more] = subject.split('/');
  const offer = link(id, `${/rain|grab/.test(kind) ? 'rains' : 'sales'}/${id}`);
  return make('span', { className: 'facts' }, offer, ...!more ? [] : [/order|return/.test(kind)
    ? codeLink(more, orderRoute(id, more)) : make('code', {}, more)]);
}

/** What it was and is: short, or behind a word. */
function changeOf(before, after) {
  if (isLong(before) || isLong(after)) {
    return make('details', {}, make('summary', {}, before === undefined ? 'all of it' : 'before '
      + 'and after'), pairs([...facts(before, 'was '), ...facts(after)]));
  }
  if (before === undefined) return after === undefined ? '–' : String(after);
  // That it was paused, the action says.
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

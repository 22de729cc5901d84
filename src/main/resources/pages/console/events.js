/** The live events of all sales and rains, as webhooks receive them. */
import { arrange, make, write } from '../page.js';
import { follow } from './live.js';
import { orderRoute } from './order.js';
import { button, card, choice, codeLink, field, form, heading, input, link, notice, pairs, table }
  from './parts.js';
import { badge, explain, stamp } from './words.js';

const EVERY_MS = 1_000;
const PAGE = 1_000;
const KEPT_MAX = 500;
const SHOWN_MAX = 100;
const NOW = 'now';
const PREFIX = 'dev.rush.';
const KINDS = {
  '': 'any', 'order.': 'orders', 'grab.': 'grabs', 'sale.': 'sales', 'rain.': 'rains',
};

export function eventsPage(main, signal) {
  const feed = new Feed();
  const kind = choice('kind', KINDS, '');
  const text = input('text', { type: 'search' });
  const show = () => feed.show(kind.value, text.value.trim().toLowerCase());
  const pause = button('Pause', () => {
    feed.isPaused = !feed.isPaused;
    pause.textContent = feed.isPaused ? 'Resume' : 'Pause';
    show();
  });
  const filters = form(show, field('Type', kind),
    field('Filter', text, 'For example a sale, a user or an order.'), pause,
    button('Back to the start', () => feed.from('')));
  filters.addEventListener('input', show);
  main.replaceChildren(heading('Events'),
    make('p', {}, 'Changes of orders, grabs, sales and rains as they reach the ledger, newest '
      + 'first. Webhooks receive the same events.'), filters, feed.element);
  const run = () => follow(() => feed.path, {
    every: EVERY_MS, signal, time: () => null,
    show: page => { feed.add(page); show(); },
    refused: error => {
      if (error.code === 'cursor-expired') {
        feed.from(NOW); // The list restarts, for example after a failover of PostgreSQL.
        run();
      } else {
        feed.element.replaceChildren(notice(explain(error), 'failure'));
      }
    },
  });
  run();
}

/** The newest events. */
class Feed {
  isPaused = false;
  #cursor = NOW;
  #wanted = null;
  #events = [];
  #rows = new Map();
  #empty = make('p', { className: 'empty' }, 'No events since this page was opened.');

  constructor() {
    const { frame, body } = table('Events',
      ['Time', 'Type', 'Sale or rain', 'Order or grab', 'Data']);
    frame.classList.add('cards');
    this.frame = frame;
    this.body = body;
    this.element = make('div', {}, this.#empty, frame);
  }

  get path() {
    if (this.#wanted !== null) {
      this.#cursor = this.#wanted;
      this.#wanted = null;
      this.#events = [];
      this.#rows.clear();
    }
    const after = this.#cursor ? `&after=${this.#cursor}` : '';
    return `events?limit=${PAGE}${after}`;
  }

  /** Restarts at a cursor. A page that was requested before is dropped. */
  from(cursor) {
    this.#wanted = cursor;
  }

  /** Skips known ids: a failover of PostgreSQL repeats events. */
  add({ events, next }) {
    if (this.#wanted !== null) return;
    this.#cursor = next;
    for (const event of events) {
      if (this.#rows.has(event.id)) continue;
      this.#rows.set(event.id, null);
      this.#events.unshift({ ...event, text: JSON.stringify(event).toLowerCase() });
    }
    for (const event of this.#events.splice(KEPT_MAX)) this.#rows.delete(event.id);
  }

  show(kind, text) {
    if (this.isPaused) return;
    const found = this.#events.filter(event => event.type.startsWith(PREFIX + kind)
      && event.text.includes(text)).slice(0, SHOWN_MAX);
    this.frame.hidden = !found.length;
    this.#empty.hidden = found.length > 0;
    arrange(this.body, found.map(event => {
      const row = this.#rows.get(event.id) ?? eventRow(event);
      this.#rows.set(event.id, row);
      return row;
    }));
  }
}

function eventRow({ id, type, source, subject, time, data }) {
  const [, , plural, offer] = source.split('/');
  const of = link(decodeURIComponent(offer), `${plural}/${offer}`);
  const isOrder = type.startsWith(`${PREFIX}order.`);
  const row = card(stamp(time), { Type: word(type), 'Sale or rain': of,
    'Order or grab': isOrder ? codeLink(subject, orderRoute(decodeURIComponent(offer), subject,
      data.user)) : subject === offer ? '–' : make('code', {}, subject),
    Data: details(data) });
  row.dataset.id = id;
  return row;
}

function word(type) {
  const [kind, change] = type.slice(PREFIX.length).split('.');
  const element = badge(change);
  write(element, change);
  return make('span', {}, `${kind} `, element);
}

function details(data) {
  return make('details', {}, make('summary', {}, data.user ?? 'details'),
    pairs(Object.entries(data).map(([name, value]) => [name,
      make('code', {}, typeof value === 'object' ? JSON.stringify(value) : String(value))])));
}

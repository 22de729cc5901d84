/** Orders of a sale: filtered lists, a lookup by key or id, and export as CSV. */
import { make } from '../page.js';
import { instant, time } from './definition.js';
import { ID, USER, UUID, VISIBLE } from './limits.js';
import { lines, orderActions, orderRoute } from './order.js';
import { attempt, button, card, choice, codeLink, field, form, heading, input, notice, table }
  from './parts.js';
import { call, is, save } from './session.js';
import { badge, explain, many, stamp } from './words.js';

const PAGE = 50;
/** A page may be empty although more follow; at most this many calls look for orders. */
const CALLS_MAX = 10;
const STATUSES = {
  '': 'any', accepted: 'accepted', reserved: 'reserved', confirmed: 'confirmed',
  expired: 'expired', returned: 'returned', rejected: 'rejected',
};

/** Orders of one sale, for operators and auditors. */
export function ordersTab({ id, place, signal }) {
  const found = make('div');
  const path = `sales/${encodeURIComponent(id)}/orders`;
  const saved = make('p', { className: 'hint' });
  const list = new OrderList(found, id, signal);
  const filters = form((given, element) => list.read(path, filterOf(given, element)),
    field('User', input('user', { pattern: USER })),
    field('Status', choice('status', STATUSES, '')),
    time('Placed since', 'since', ''),
    make('button', { className: 'primary' }, 'Find orders'),
    button('Save as CSV', () => {
      if (!filters.reportValidity()) return;
      const query = filterOf(Object.fromEntries(new FormData(filters)), filters);
      query.delete('limit');
      saveAll(saved, `${path}?${query}`, `orders-${id}.csv`, signal);
    }));
  const user = filters.elements.namedItem('user');
  const status = filters.elements.namedItem('status');
  const check = () => status.setCustomValidity(status.value === 'accepted' && !user.value
    ? 'The ledger does not have accepted orders yet. Enter a user to list theirs.' : '');
  filters.addEventListener('input', check);
  place.replaceChildren(filters, saved, found,
    make('details', { className: 'more' }, make('summary', {}, 'Find a single order'),
      byKey(list, path), ...is('operator', 'auditor') ? [byId(() => id)] : []));
  list.read(path, new URLSearchParams({ limit: PAGE }));
}

function filterOf({ user, status }, element) {
  const since = instant(new FormData(element), 'since');
  return new URLSearchParams({ ...user && { user }, ...status && { status },
    ...since && { since }, limit: PAGE });
}

function byKey(list, path) {
  return form(({ user, key }) => list.read(path, new URLSearchParams({ user, key })),
    field('User', input('user', { id: 'key-user', required: true, pattern: USER })),
    field('Idempotency key', input('key', { required: true, pattern: VISIBLE })),
    make('button', {}, 'Find by key'));
}

function byId(sale) {
  return form(({ order }) => { location.hash = `#/${orderRoute(sale(), order.trim())}`; },
    field('Order', input('order', { required: true, pattern: UUID, size: 38 })),
    make('button', {}, 'Open the order'));
}

/** For payers, who may not list orders: they find one by its sale and id. */
export function ordersPage(main) {
  const open = form(({ sale, order, user }) => {
    location.hash = `#/${orderRoute(sale, order.trim(), user)}`;
  },
  field('Sale', input('sale', { required: true, pattern: ID })),
  field('Order', input('order', { required: true, pattern: UUID, size: 38 })),
  field('User', input('user', { pattern: USER }), 'Optional; speeds up the lookup.'),
  make('button', { className: 'primary' }, 'Find the order'));
  main.replaceChildren(heading('Orders'),
    make('p', {}, 'Find an order by its sale and id. The payment system has both.'), open);
}

/** Pages of orders, appended to each other. */
class OrderList {
  #shown = [];

  constructor(found, sale, signal) {
    Object.assign(this, { found, sale, signal });
  }

  /** Lists the orders of a query, newest first. */
  read(path, query) {
    this.#shown = [];
    this.again = () => this.read(path, query);
    return attempt(this.found, () => this.#page(path, query));
  }

  async #page(path, query) {
    let page;
    for (let calls = 0; calls < CALLS_MAX; calls++) {
      page = await call(`${path}?${query}`, { signal: this.signal });
      this.#shown.push(...page.orders);
      if (page.orders.length || !page.next) break;
      query.set('after', page.next);
    }
    const { next } = page;
    const more = next ? [make('p', { className: 'actions' }, button('Older orders', event => {
      event.target.disabled = true;
      query.set('after', next);
      this.#page(path, query).then(parts => this.found.replaceChildren(...parts),
        error => {
          event.target.disabled = false;
          this.found.querySelector('.failure')?.remove();
          this.found.append(notice(explain(error), 'failure'));
        });
    }))] : [];
    if (!this.#shown.length) {
      return [notice(next ? 'None so far; “Older orders” continues the search.' : 'No orders.'),
        ...more];
    }
    return [make('p', { className: 'hint', role: 'status' }, `${many(this.#shown.length, 'order')}`
      + `${next ? ' so far' : ''}, newest first.`), this.#table(), ...more];
  }

  #table() {
    const { frame } = table('Orders found', ['Order', 'User', 'Status', 'Items', 'Placed',
      'Pay by', ...is('operator', 'payer') ? ['Actions'] : []],
    this.#shown.map(order => this.#row(order)));
    frame.classList.add('cards');
    return frame;
  }

  #row(order) {
    const { sale, again } = this;
    const may = is('operator', 'payer');
    return card(codeLink(order.order, orderRoute(sale, order.order, order.user)), {
      User: make('code', {}, order.user), Status: badge(order.status), Items: lines(order),
      Placed: stamp(order.placedAt),
      'Pay by': order.payBy ? stamp(order.payBy) : '–',
    }, ...may ? [make('td', { className: 'actions' },
      ...orderActions(order, { sale, again }))] : []);
  }
}

/** Saves the answer of a path as CSV, and shows the progress. */
async function saveAll(saved, path, name, signal) {
  try {
    saved.textContent = 'Loading…';
    const bytes = await save(path, name, signal, read => {
      saved.textContent = `Loading: ${Math.ceil(read / 1000)} kB…`;
    });
    saved.textContent = `${name} is saved, ${Math.ceil(bytes / 1000)} kB.`;
  } catch (error) {
    if (signal.aborted) return;
    saved.replaceChildren(notice(error.status ? explain(error)
      : 'The file was incomplete and was not saved.', 'failure'));
  }
}

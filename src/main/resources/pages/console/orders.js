/** Orders of a user, under a key, or by id; and what a payer or operator may do to one. */
import { count, make } from '../page.js';
import { ID, USER } from './limits.js';
import { ask, attempt, button, field, form, heading, input, notice, table } from './parts.js';
import { call, is, send } from './session.js';
import { badge, moment } from './words.js';

const HOLDS = ['accepted', 'reserved', 'confirmed'];
const KEY = '[!-~]{1,128}';
const UUID = '[0-9a-fA-F\\-]{36}';

/** Orders of one sale. */
export function ordersTab({ id, place, signal }) {
  const found = make('div');
  place.replaceChildren(...searches(() => id, found, signal), found);
}

/** For payers, who know an order's sale and id and may list nothing. */
export function ordersPage(main, signal) {
  const found = make('div');
  const sale = input('sale', { id: 'order-sale', required: true, pattern: ID });
  main.replaceChildren(heading('Orders'),
    make('p', {}, 'Find an order by its sale and its id, as the payment system has them.'),
    make('p', { className: 'field' }, make('label', { htmlFor: sale.id }, 'Sale'), sale),
    ...searches(() => sale.reportValidity() ? sale.value : null, found, signal), found);
}

/** The ways of finding orders that the user's roles open. */
function searches(sale, found, signal) {
  const path = (rest = '') => `sales/${encodeURIComponent(sale())}/orders${rest}`;
  const search = (read, user) => attempt(found, async () => sale()
    ? list(await read(), user, { sale: sale(), found, again: () => search(read, user) }) : []);
  const byUser = form(({ user, key }) => search(async () => {
    const query = new URLSearchParams({ user, ...key && { key } });
    return (await call(path(`?${query}`), { signal })).orders;
  }), field('User', input('user', { required: true, pattern: USER })),
  field('Idempotency key', input('key', { pattern: KEY }), 'Optional: only the order under it'),
  make('button', { className: 'primary' }, 'Find orders'));
  const byId = form(({ order, user }) => search(async () =>
    [await call(path(`/${order.trim()}${user ? `?user=${encodeURIComponent(user)}` : ''}`),
      { signal })]),
  field('Order', input('order', { required: true, pattern: UUID, size: 38 })),
  field('Its user', input('user', { id: 'field-owner', pattern: USER }), 'Optional, and quicker'),
  make('button', { className: is('operator', 'auditor') ? '' : 'primary' }, 'Find the order'));
  return [
    ...is('operator', 'auditor') ? [make('h2', {}, 'Orders of a user'), byUser] : [],
    ...is('operator', 'payer') ? [make('h2', {}, 'One order'), byId] : [],
  ];
}

function list(orders, user, context) {
  if (!orders.length) return [notice('There is none.')];
  const { frame } = table('Orders found',
    ['Order', 'User', 'Status', 'Items', 'Placed', 'To be paid by', 'Change'],
    orders.map(order => orderRow(order, context)));
  return [make('h2', {}, orders.length === 100 ? 'The newest 100' : `Found: ${orders.length}`),
    frame];
}

function orderRow(order, context) {
  const lines = order.items.map(line => `${count(line.quantity)} × ${line.sku}`).join(', ');
  const may = is('operator', 'payer');
  return make('tr', {}, make('th', { scope: 'row' }, make('code', {}, order.order)),
    make('td', {}, make('code', {}, order.user)), make('td', {}, badge(order.status)),
    make('td', {}, lines), make('td', {}, moment(order.placedAt)),
    make('td', {}, order.payBy ? moment(order.payBy) : '–'),
    make('td', { className: 'actions' },
      ...may && order.status === 'reserved'
        ? [button('Confirm', () => confirm(order, lines, context))] : [],
      ...may && HOLDS.includes(order.status)
        ? [button('Return', () => giveBack(order, lines, context), { kind: 'danger-start' })]
        : []));
}

function confirm(order, lines, { sale, again }) {
  ask({
    title: 'Confirm that this order is paid?',
    lines: [`${lines}, of ${order.user}.`, 'It will not expire any more. The console moves no '
      + 'money: do this only if the payment has arrived.'],
    verb: 'It is paid',
    perform: async () => {
      const path = `sales/${encodeURIComponent(sale)}/orders/${order.order}/confirm`;
      await send('POST', `${path}?user=${encodeURIComponent(order.user)}`);
      again();
      return 'The order is confirmed.';
    },
  });
}

function giveBack(order, lines, { sale, again }) {
  ask({
    title: 'Return this order?',
    danger: true,
    lines: [`${lines}, of ${order.user}, go on sale again.`, 'The order ends. The console moves '
      + 'no money: paying back is the payment system’s.'],
    verb: 'Return it',
    perform: async () => {
      const user = encodeURIComponent(order.user);
      const { state } = await send('POST', `sales/${encodeURIComponent(sale)}/returns?user=${user}`,
        { order: order.order });
      again();
      return state === 'returned' ? 'The order is returned.'
        : 'The return is parked until the order has reached the ledger.';
    },
  });
}

/** One order: its state, its history, and the actions of payers and operators. */
import { count, make } from '../page.js';
import { follow } from './live.js';
import { VISIBLE } from './limits.js';
import { ask, button, field, heading, input, link, notice, pairs, table } from './parts.js';
import { is, send } from './session.js';
import { badge, explain, moment, stamp } from './words.js';

const EVERY_MS = 2_000;
const HOLDS = ['accepted', 'reserved', 'confirmed'];
const STEPS = {
  accepted: 'Accepted: Redis deducted the units',
  reserved: 'Reserved: stored in the ledger, waiting for payment',
  confirmed: 'Confirmed',
  rejected: 'Rejected by the ledger',
  expired: 'Expired: not paid in time',
  returned: 'Returned',
  credited: 'Credited: the units are back on sale',
  settled: 'Settled: its units replaced a lost deduction or were freed',
};

/** The route of an order's page. The user, if known, speeds up the lookup. */
export function orderRoute(sale, order, user) {
  return `sales/${encodeURIComponent(sale)}/orders/${order}`
    + (user ? `?user=${encodeURIComponent(user)}` : '');
}

export function orderPage(main, sale, order, signal) {
  const user = new URLSearchParams(location.hash.split('?')[1]).get('user');
  const query = new URLSearchParams({ ...user && { user }, history: true });
  const path = `sales/${encodeURIComponent(sale)}/orders/${order}?${query}`;
  const state = make('span');
  const failure = make('div');
  const facts = make('div');
  const actions = make('p', { className: 'actions' });
  const history = make('section', { className: 'terms' });
  main.replaceChildren(
    is('operator', 'auditor')
      ? link(`Orders of ${sale}`, `sales/${encodeURIComponent(sale)}/orders`, 'back')
      : link('Orders', 'orders', 'back'),
    heading('Order', state, make('code', { className: 'hint' }, order)),
    failure, actions, facts, history);
  let shown;
  follow(() => path, {
    every: EVERY_MS, signal, time: () => null,
    show: found => {
      failure.replaceChildren();
      const text = JSON.stringify(found);
      if (text === shown) return;
      shown = text;
      state.replaceChildren(badge(found.status));
      facts.replaceChildren(pairs(factsOf(found)));
      actions.replaceChildren(...orderActions(found, { sale }));
      history.replaceChildren(make('h2', {}, 'History'), steps(found.history ?? []));
    },
    refused: error => failure.replaceChildren(notice(explain(error), 'failure')),
  });
}

function factsOf(order) {
  return [['User', make('code', {}, order.user)], ['Items', lines(order)],
    ['Placed', moment(order.placedAt)],
    ...order.payBy ? [['Pay by', moment(order.payBy)]] : [],
    ...order.paymentReference
      ? [['Payment reference', make('code', {}, order.paymentReference)]] : []];
}

function steps(history) {
  const { frame } = table('History', ['Time', 'Step', 'Actor', 'Cause', 'Payment reference'],
    history.map(step => make('tr', {}, make('th', { scope: 'row' }, stamp(step.at)),
      make('td', {}, STEPS[step.kind] ?? step.kind), make('td', {}, make('code', {}, step.actor)),
      make('td', {}, step.cause ?? '–'), make('td', {}, step.paymentReference ?? '–'))));
  return frame;
}

/** The units of an order. */
export function lines(order) {
  return order.items.map(line => `${count(line.quantity)}\u00a0×\u00a0${line.sku}`).join(', ');
}

/** The actions on an order that the user's roles allow; `again` runs after each. */
export function orderActions(order, { sale, again = () => {} }) {
  if (!is('operator', 'payer')) return [];
  return [
    ...order.status === 'reserved' ? [button('Confirm', () => confirm(order, sale, again))] : [],
    ...HOLDS.includes(order.status)
      ? [button('Return', () => returnOrder(order, sale, again), { kind: 'danger-start' })] : [],
  ];
}

function confirm(order, sale, again) {
  ask({
    title: 'Confirm the payment of this order?',
    fields: [field('Payment reference', input('paymentReference', { pattern: VISIBLE }),
      'Optional: the id of the payment in the payment system. The order keeps it.')],
    lines: [`${lines(order)}, ordered by ${order.user}.`, 'The order will no longer expire. The '
      + 'console moves no money: confirm only if the payment has arrived.'],
    verb: 'Confirm payment',
    perform: async form => {
      const path = `sales/${encodeURIComponent(sale)}/orders/${order.order}/confirm`;
      const paymentReference = form.get('paymentReference') || undefined;
      await send('POST', `${path}?user=${encodeURIComponent(order.user)}`,
        paymentReference && { paymentReference });
      again();
      return 'The order is confirmed.';
    },
  });
}

function returnOrder(order, sale, again) {
  ask({
    title: 'Return this order?',
    danger: true,
    lines: [`The units go back on sale: ${lines(order)}, ordered by ${order.user}.`, 'The order '
      + 'ends. The console moves no money: the payment system makes the refund.'],
    verb: 'Return the order',
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

/** One order: what it is, all that happened to it, and what a payer or operator may do to it. */
import { count, make } from '../page.js';
import { follow } from './live.js';
import { VISIBLE } from './limits.js';
import { ask, button, field, heading, input, link, notice, pairs, table } from './parts.js';
import { is, send } from './session.js';
import { badge, explain, moment, stamp } from './words.js';

const EVERY_MS = 2_000;
const HOLDS = ['accepted', 'reserved', 'confirmed'];
const STEPS = {
  accepted: 'Accepted: Redis took the units',
  reserved: 'Reserved: the ledger has it, and it waits for its payment',
  confirmed: 'Confirmed',
  rejected: 'Rejected: the ledger had no units for it',
  expired: 'Expired: it was not paid in time',
  returned: 'Returned',
  credited: 'Credited: its units are on sale again',
  settled: 'Settled: its place in Redis is free',
};

/** Where an order's page is. Its user, if known, lets the service find it quicker. */
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
      history.replaceChildren(make('h2', {}, 'What happened to it'), steps(found.history ?? []));
    },
    refused: error => failure.replaceChildren(notice(explain(error), 'failure')),
  });
}

function factsOf(order) {
  return [['User', make('code', {}, order.user)], ['Items', lines(order)],
    ['Placed', moment(order.placedAt)],
    ...order.payBy ? [['To be paid by', moment(order.payBy)]] : [],
    ...order.paymentReference
      ? [['Payment reference', make('code', {}, order.paymentReference)]] : []];
}

function steps(history) {
  const { frame } = table('History', ['When', 'What', 'By', 'Why', 'Payment reference'],
    history.map(step => make('tr', {}, make('th', { scope: 'row' }, stamp(step.at)),
      make('td', {}, STEPS[step.kind] ?? step.kind), make('td', {}, make('code', {}, step.actor)),
      make('td', {}, step.cause ?? '–'), make('td', {}, step.paymentReference ?? '–'))));
  return frame;
}

/** The units of an order. */
export function lines(order) {
  return order.items.map(line => `${count(line.quantity)}\u00a0×\u00a0${line.sku}`).join(', ');
}

/** What the user may do to an order; `again` runs after it is done. */
export function orderActions(order, { sale, again = () => {} }) {
  if (!is('operator', 'payer')) return [];
  return [
    ...order.status === 'reserved' ? [button('Confirm', () => confirm(order, sale, again))] : [],
    ...HOLDS.includes(order.status)
      ? [button('Return', () => giveBack(order, sale, again), { kind: 'danger-start' })] : [],
  ];
}

function confirm(order, sale, again) {
  ask({
    title: 'Confirm that this order is paid?',
    fields: [field('Payment reference', input('paymentReference', { pattern: VISIBLE }),
      'Optional: what the payment is called where it arrived. It is kept with the order.')],
    lines: [`${lines(order)}, of ${order.user}.`, 'It will not expire any more. The console moves '
      + 'no money: do this only if the payment has arrived.'],
    verb: 'It is paid',
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

function giveBack(order, sale, again) {
  ask({
    title: 'Return this order?',
    danger: true,
    lines: [`${lines(order)}, of ${order.user}, go on sale again.`, 'The order ends. The console '
      + 'moves no money: paying back is the payment system’s.'],
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

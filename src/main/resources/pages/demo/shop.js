/** The shop window: one sale, its stock and the visitor's orders. */
import { $, arrange, arrive, count, countDown, left, make, parameter, run, say, sayState,
  showLink, write } from './visitor.js';

const SALE = parameter('sale', 'apple-day');

/** Statuses in which an order holds its units. */
const HOLDS = ['accepted', 'reserved', 'confirmed'];
const CHANGES = ['accepted', 'reserved'];
const STATUS = {
  accepted: 'Accepted',
  reserved: 'Reserved',
  confirmed: 'Confirmed',
  expired: 'Not paid in time',
  returned: 'Returned',
  rejected: 'Rejected',
};
const STATE = {
  scheduled: 'Opens in',
  open: 'Open',
  paused: 'Paused. The sale resumes in a moment.',
  'sold-out': 'Sold out',
  closed: 'This sale has ended',
};
const REFUSAL = {
  'sold-out': 'Sold out: somebody was faster.',
  'insufficient-stock': 'There are not enough left.',
  'limit-reached': 'You have reached the limit per person.',
  'not-open': 'Not open yet.',
  paused: 'Paused. Try again once it resumes.',
  closed: 'The sale has ended.',
  blocked: 'You cannot buy here.',
  'duplicate-submission': 'You sent the same order a moment ago.',
  'rate-limited': 'Too many attempts. Wait a moment.',
};

/** The page's state: `buying` is the SKU being bought, `armed` the one to buy at the opening. */
const page = { view: null, orders: new Map(), buying: null, armed: null, unknown: 0, notes: {} };
const cards = new Map();
const rows = new Map();
let sale;
let rush;

/** What an item's button offers now. */
function offer(item) {
  const mine = [...page.orders.values()].filter(order => HOLDS.includes(order.status))
    .flatMap(order => order.items).filter(line => line.sku === item.sku)
    .reduce((sum, line) => sum + line.quantity, 0);
  if (page.buying === item.sku) {
    return { label: page.unknown ? 'Checking…' : 'Buying…', busy: true };
  }
  if (item.limitPerUser && mine >= item.limitPerUser) return { label: 'Yours', mine };
  switch (page.view.state) {
    case 'scheduled':
      return page.armed === item.sku
        ? { label: 'Buying at the opening. Cancel?', act: disarm, armed: true }
        : { label: 'Buy at the opening', act: () => arm(item), quiet: true };
    case 'paused': return { label: 'Paused' };
    case 'closed': return { label: 'Ended' };
    default:
      if (!item.left) return { label: 'Sold out' };
      return { label: mine ? 'Buy another' : 'Buy', act: () => buy(item) };
  }
}

function card(item) {
  const parts = {
    title: make('h2'),
    left: make('p', { className: 'left' }),
    of: make('p', { className: 'small' }),
    fill: make('span'),
    button: make('button', { type: 'button', className: 'primary' }),
    note: make('p', { className: 'note', role: 'status' }),
  };
  parts.button.addEventListener('click', () => parts.act?.());
  const meter = make('div', { className: 'meter', ariaHidden: 'true' }, parts.fill);
  parts.root = make('li', { className: 'card' },
    parts.title, parts.left, parts.of, meter, parts.button, parts.note);
  parts.root.dataset.sku = item.sku;
  $('goods').append(parts.root);
  cards.set(item.sku, parts);
  return parts;
}

function showItem(item) {
  const parts = cards.get(item.sku) || card(item);
  const { label, act, busy, armed, quiet, mine } = offer(item);
  write(parts.title, item.title || item.sku);
  write(parts.left, count(item.left));
  write(parts.of, `left of ${count(item.total)}`
    + (item.limitPerUser ? ` · ${count(item.limitPerUser)} each` : ''));
  parts.fill.style.width = `${item.total ? 100 * item.left / item.total : 0}%`;
  write(parts.button, label);
  parts.button.ariaDisabled = String(!act || Boolean(page.buying));
  parts.button.ariaBusy = String(Boolean(busy));
  parts.button.setAttribute('aria-label', `${label}: ${item.title || item.sku}`);
  parts.button.classList.toggle('quiet-start', Boolean(quiet));
  parts.button.classList.toggle('armed', Boolean(armed));
  parts.root.classList.toggle('gone', !item.left && !mine);
  parts.root.classList.toggle('yours', Boolean(mine));
  parts.act = page.buying ? null : act;
  write(parts.note, page.notes[item.sku] || '');
}

function show() {
  const { view } = page;
  $('unknown').hidden = !page.unknown;
  if (!view) return;
  document.title = `${view.title || view.sale} – Rush`;
  write($('title'), view.title || view.sale);
  write($('state'), STATE[view.state] || view.state);
  view.items.forEach(showItem);
  showOrders();
}

function showView(view) {
  const before = page.view?.state;
  page.view = view;
  showLink('live');
  show();
  sayState(STATE, before, view.state);
}

function showOrders() {
  const orders = [...page.orders.values()].sort((a, b) => b.order.localeCompare(a.order));
  $('no-orders').hidden = orders.length > 0;
  const focused = document.activeElement?.closest('.order')?.dataset.order;
  arrange($('orders'), orders.map(order => {
    const known = rows.get(order.order);
    const row = known?.dataset.status === order.status ? known : orderRow(order);
    rows.set(order.order, row);
    return row;
  }));
  // The status change has removed the button that had the focus.
  if (focused && document.activeElement === document.body) rows.get(focused)?.focus();
}

function orderRow(order) {
  const titles = new Map(page.view.items.map(item => [item.sku, item.title || item.sku]));
  const lines = order.items.map(line => `${line.quantity} × ${titles.get(line.sku) || line.sku}`);
  const row = make('li', { className: 'order' },
    make('p', { className: 'what' }, lines.join(', ')),
    make('p', { className: 'status' }, STATUS[order.status] || order.status),
    make('p', { className: 'small' }, `${new Date(order.placedAt).toLocaleTimeString()} · `,
      make('code', {}, order.order)));
  row.dataset.status = order.status;
  row.dataset.order = order.order;
  row.tabIndex = -1;
  if (order.status === 'reserved' && order.payBy) {
    const pay = make('button', { type: 'button', className: 'primary' }, 'Pay now');
    pay.addEventListener('click', () => confirm(order, pay));
    const clock = make('span', { className: 'pay-by' }, left(Date.parse(order.payBy) - rush.now()));
    row.append(make('p', { className: 'due' }, 'Pay within ', clock, ' '), pay);
  }
  return row;
}

async function confirm(order, button) {
  button.disabled = true;
  try {
    keep(await rush.call(`${sale.path}/orders/${order.order}/confirm`, { method: 'POST' }));
    say('Paid. Your order is confirmed.');
  } catch (error) {
    button.disabled = false;
    say(error.status === 403 ? 'Only the payment system can confirm orders here.' : error.message);
    write(button, error.status === 403 ? 'Not available here' : 'Try again');
  }
}

/** Adds or updates an order; follows a new one until its status is final. */
function keep(order, isNew) {
  const known = page.orders.get(order.order);
  page.orders.set(order.order, order);
  if (known && known.status !== order.status) say(`Your order: ${STATUS[order.status]}.`);
  if (isNew && CHANGES.includes(order.status)) {
    sale.follow(order.order, found => keep(found)).catch(() => showLink('lost'));
  }
  show();
}

/** Runs a purchase, new or pending, until its outcome is known. */
async function finish(sku, work) {
  page.buying = sku;
  page.notes = {};
  show();
  const onUnknown = sent => {
    page.unknown++;
    write($('unknown-key'), sent.key);
    write($('unknown-tries'), page.unknown > 1 ? `sent ${page.unknown} times` : 'sent once');
    if (page.unknown === 1) say('It is not known yet whether your order went through. Retrying.');
    show();
  };
  try {
    const order = await work({ onUnknown });
    if (order) {
      keep(order, true);
      say(`It is yours: ${order.items.map(line => line.sku).join(', ')}.`);
    } else {
      page.notes[sku] = 'That purchase did not go through. Nothing was bought.';
    }
  } catch (error) {
    page.notes[sku] = REFUSAL[error.code] || error.message;
  }
  page.buying = null;
  page.unknown = 0;
  show();
}

function buy(item) {
  return finish(item.sku, options => sale.buy([{ sku: item.sku, quantity: 1 }], options));
}

let opening;

function arm(item) {
  opening?.abort();
  opening = new AbortController();
  page.armed = item.sku;
  show();
  sale.opened({ jitter: 400, signal: opening.signal })
    .then(() => { page.armed = null; return buy(item); })
    .catch(error => { if (error.name !== 'AbortError') { disarm(); showLink('lost'); } });
}

function disarm() {
  opening?.abort();
  page.armed = null;
  show();
}

/** Finishes a purchase that was pending when an earlier page closed. */
function finishPending() {
  const sent = sale.pending();
  if (!sent) return;
  page.unknown = 1;
  write($('unknown-key'), sent.key);
  finish(JSON.parse(sent.body).items[0].sku, options => sale.settle(options));
}

async function load() {
  showView(await sale.view());
  for (const order of await sale.orders()) keep(order, true);
}

function goal() {
  const { view } = page;
  if (view?.state === 'scheduled') {
    return { label: 'Opens in', at: Date.parse(view.opensAt), over: 'Opening…', isNear: true };
  }
  return view?.closesAt && ['open', 'sold-out', 'paused'].includes(view.state)
    ? { label: 'Closes in', at: Date.parse(view.closesAt), over: 'Closing…' } : null;
}

rush = await arrive(client => client.sale(SALE).orders());
sale = rush.sale(SALE);
await run('sale', SALE, load, () => {
  sale.watch(showView, () => showLink('lost'));
  finishPending();
});
countDown(rush, goal);
setInterval(() => document.querySelectorAll('.pay-by').forEach(clock => {
  const order = page.orders.get(clock.closest('.order').dataset.order);
  write(clock, left(Date.parse(order.payBy) - rush.now()));
}), 500);

/** The books of a sale or rain: the verdict, the figures in sentences, and the repair. */
import { count, make } from '../page.js';
import { RAIN } from './offers.js';
import { ask, attempt, button, notice, row, table } from './parts.js';
import { call, is, send } from './session.js';
import { clock, many } from './words.js';

const VERDICTS = {
  balanced: 'Balanced: Redis and the ledger agree, and every unit is accounted for.',
  undersold: 'Undersold: Redis is holding back units that no order has. No buyer is harmed, '
    + 'but nobody can buy them. A repair puts them back on sale.',
  oversold: 'Oversold: Redis is offering units that already belong to an order. PostgreSQL will '
    + 'reject any purchase of them. Pause the sale, repair its books, then resume it.',
  'not-loaded': 'Not loaded: Redis has lost this sale, so nobody can buy. A repair rebuilds it '
    + 'from the ledger.',
};
const RAIN_VERDICTS = {
  balanced: 'Balanced: Redis and the ledger agree, and every envelope is accounted for.',
  undersold: 'Undersold: Redis counts envelopes as handed out that no grab has.',
  oversold: 'Oversold: Redis handed out envelopes twice. The ledger rejected the later grabs. A '
    + 'rain cannot be repaired.',
  'not-loaded': 'Not loaded: Redis has lost envelopes of this rain. A rain cannot be repaired.',
};
const ACTIONS = {
  rebuilt: ['The sale was rebuilt in Redis from the ledger', 'order'],
  'orders-restored': ['Deductions, limits and keys were rewritten', 'order'],
  'credits-repeated': ['Lost credits were repeated', 'order'],
  'orders-requeued': ['Lost stream entries were added again', 'order'],
  'total-corrected': ['The total in Redis was set to the ledger’s', 'unit'],
  'rejected-settled': ['Units of rejected orders replaced lost deductions or were freed', 'unit'],
  'units-returned': ['Units that no order has were put back on sale', 'unit'],
  'units-deducted': ['Units that already belong to an order were taken off sale', 'unit'],
};
/** Where ordered units can be, in chronological order, each with the name of its column. */
const PLACES = {
  inStream: ['on the way to the ledger', 'In stream'],
  reserved: ['reserved', 'Reserved'],
  confirmed: ['confirmed', 'Confirmed'],
  rejected: ['rejected by the ledger', 'Rejected'],
  creditPending: ['ended but not yet credited', 'Credit pending'],
  deadLetters: ['in dead letters', 'Dead letters'],
};

export function booksTab(page) {
  const { kind, place, path, signal } = page;
  const seen = make('div');
  const read = () => attempt(seen, async () => {
    const books = await call(`${path}/books`, { signal });
    return kind === RAIN ? rainBooks(books) : saleBooks(books, () => repair(page, books, seen));
  });
  place.replaceChildren(make('p', { className: 'actions' }, button('Refresh', read)), seen);
  read();
}

function saleBooks(books, startRepair) {
  const isWrong = books.verdict !== 'balanced';
  const ledger = table('Books by item', ['Item', '#Total', '#Left', '#Ordered',
    ...Object.values(PLACES).map(([, column]) => `#${column}`), '#Drift'],
  books.items.map(item => row(item.sku, count(item.total), count(item.left), count(item.ordered),
    ...Object.keys(PLACES).map(name => count(item[name])), driftCell(item))));
  return [
    verdict(books.verdict, VERDICTS, books.asOf),
    ...books.retired ? [make('p', {}, 'The sale has ended and was removed from Redis. Only the '
      + 'ledger has its orders.')] : [],
    ...books.lost ? [notice(`A Redis failover lost ${many(books.lost, 'accepted order or grab',
      'accepted orders or grabs')} of this partition: no store has them. A repair cannot restore `
      + 'them.', 'failure')] : [],
    make('ul', { className: 'sums' }, ...books.items.flatMap(item =>
      itemWords(item).map(text => make('li', {}, text)))),
    ledger.frame,
    ...isWrong && is('operator') ? [make('p', { className: 'actions' },
      button('Repair', startRepair, { kind: 'primary' }))] : [],
    ...isWrong && !is('operator') ? [make('p', {}, 'Only an operator can repair the books.')] : [],
  ];
}

function driftCell(item) {
  return make('span', { className: item.drift ? 'count wrong' : 'count' }, count(item.drift));
}

/** The figures of an item in sentences. */
function itemWords(item) {
  const { sku, ordered, drift, total, ledgerTotal, inTransfer } = item;
  const parts = Object.entries(PLACES).filter(([name]) => item[name])
    .map(([name, [text]]) => `${count(item[name])} ${text}`);
  const words = [ordered
    ? `${sku}: ${many(ordered, 'unit')} ordered (${parts.join(', ') || 'in no known order'}).`
    : `${sku}: no units ordered.`];
  if (drift > 0) {
    words.push(`${sku}: ${many(drift, 'unit is', 'units are')} deducted that no order has.`);
  } else if (drift < 0) {
    words.push(`${sku}: ${many(-drift, 'unit is', 'units are')} ordered but not deducted, so Redis `
      + 'still offers them.');
  }
  if (total !== ledgerTotal) {
    words.push(`${sku}: the total is ${count(total)} in Redis and ${count(ledgerTotal)} in the `
      + 'ledger. The ledger decides.');
  }
  if (inTransfer) words.push(`${sku}: ${many(inTransfer, 'unit')} in transfer between shards.`);
  return words;
}

function rainBooks(books) {
  const sums = { prepared: 'Prepared', left: 'Left', granted: 'Handed out by Redis',
    ledger: 'Confirmed by the ledger', rejected: 'Rejected by the ledger' };
  const { frame } = table('Books of the rain', ['Envelopes', '#Number', '#Minor units'],
    Object.entries(sums).map(([name, text]) => row(text,
      count(books[name].count ?? books[name]), count(books[name].amount ?? 0))));
  return [
    verdict(books.verdict, RAIN_VERDICTS),
    make('ul', { className: 'sums' },
      make('li', {}, `${many(books.inStream, 'grab')} on the way to the ledger, `
        + `${many(books.deadLetters, 'dead letter')}.`),
      make('li', {}, books.drift === 0 ? 'No drift.' : books.drift > 0
        ? `${many(books.drift, 'envelope')} counted as handed out that no grab has.`
        : `${many(-books.drift, 'envelope')} handed out but not counted by Redis.`)),
    frame,
  ];
}

function verdict(word, texts, asOf) {
  const element = notice(texts[word] ?? word, 'verdict');
  element.dataset.verdict = word;
  const when = asOf ? `Both stores were read at ${clock(asOf)}. This page does not update itself.`
    : 'This page does not update itself.';
  return make('div', {}, element, make('p', { className: 'hint' }, when));
}

function repair(page, books, seen) {
  const lines = [
    'The sale continues meanwhile. The repair may take a minute and reports its actions.',
    ...books.verdict === 'not-loaded' ? ['The sale is rebuilt in Redis from the ledger: terms, '
      + 'totals, limits and keys. After that buyers can buy again.'] : [],
    'Orders that one store has and the other has lost are restored.',
    ...books.items.flatMap(item => plan(item)),
  ];
  ask({
    title: `Repair the books of ${page.name}?`, lines, verb: 'Repair the books',
    perform: async () => {
      const { before, actions, books: after } = await send('POST', `${page.path}/books/repair`);
      seen.replaceChildren(
        notice(`Repaired: the books were ${before} and are now ${after.verdict}.`, 'done'),
        make('ul', { className: 'sums' }, ...actions.map(action => make('li', {}, done(action)))),
        ...saleBooks(after, () => repair(page, after, seen)));
      return `Repaired. The books are now ${after.verdict}.`;
    },
  });
}

/** The likely effect of a repair on an item. */
function plan({ sku, drift, total, ledgerTotal }) {
  return [
    ...drift > 0 ? [`${sku}: up to ${many(drift, 'unit')} go back on sale.`] : [],
    ...drift < 0 ? [`${sku}: up to ${many(-drift, 'unit')} are taken off sale, if they are `
      + 'still unsold.'] : [],
    ...total !== ledgerTotal ? [`${sku}: the total in Redis is set to ${count(ledgerTotal)}.`] : [],
  ];
}

function done({ action, sku, count: number }) {
  const [text, unit] = ACTIONS[action] ?? [action, 'unit'];
  return `${sku ? `${sku}: ` : ''}${text} (${action === 'total-corrected' ? count(number)
    : many(number, unit)}).`;
}

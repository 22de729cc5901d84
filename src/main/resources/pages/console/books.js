/** The books of a sale or rain: whether Redis and the ledger agree, in words, and the repair. */
import { count, make } from '../page.js';
import { RAIN } from './offers.js';
import { ask, attempt, button, notice, row, table } from './parts.js';
import { call, is, send } from './session.js';
import { clock, many } from './words.js';

const VERDICTS = {
  balanced: 'Balanced: Redis and the ledger agree, and each unit is accounted for.',
  undersold: 'Undersold: Redis holds units back that nobody has. No buyer is harmed, but they '
    + 'cannot be bought. A repair puts them on sale again.',
  oversold: 'Oversold: Redis offers units that somebody has. PostgreSQL will reject whoever buys '
    + 'them. Pause the sale, repair it, then resume it.',
  'not-loaded': 'Not loaded: Redis has lost this sale, and nobody can buy. A repair rebuilds it '
    + 'from the ledger.',
};
const RAIN_VERDICTS = {
  balanced: 'Balanced: Redis and the ledger agree, and each envelope is accounted for.',
  undersold: 'Undersold: Redis counts envelopes as handed out that nobody has.',
  oversold: 'Oversold: Redis handed out envelopes that somebody had. The ledger has rejected '
    + 'whoever came second. There is no repair of a rain.',
  'not-loaded': 'Not loaded: Redis has lost envelopes of this rain. There is no repair of a rain.',
};
const ACTIONS = {
  rebuilt: ['The sale was put into Redis again from the ledger', 'order'],
  'orders-restored': ['Deduction, limit and key were written again', 'order'],
  'credits-repeated': ['Units whose credit was lost were given back', 'order'],
  'orders-requeued': ['Orders whose stream entry was lost entered the stream again', 'order'],
  'total-corrected': ['The total in Redis was brought to the ledger’s', 'unit'],
  'rejected-settled': ['Rejected orders stand in for deductions that were lost', 'unit'],
  'units-returned': ['Units that no order holds were put on sale again', 'unit'],
  'units-deducted': ['Units that somebody has were taken off sale', 'unit'],
};
/** Where ordered units are, in the order in which they get there, and a column's name for it. */
const PLACES = {
  inStream: ['on the way to the ledger', 'In stream'],
  reserved: ['reserved', 'Reserved'],
  confirmed: ['confirmed', 'Confirmed'],
  rejected: ['rejected by the ledger', 'Rejected'],
  creditPending: ['ended and not yet given back', 'Credit pending'],
  deadLetters: ['in dead letters', 'Dead letters'],
};

export function booksTab(page) {
  const { kind, place, path, signal } = page;
  const seen = make('div');
  const read = () => attempt(seen, async () => {
    const books = await call(`${path}/books`, { signal });
    return kind === RAIN ? rainBooks(books) : saleBooks(books, () => repair(page, books, seen));
  });
  place.replaceChildren(make('p', { className: 'actions' }, button('Read the books again', read)),
    seen);
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
    ...books.retired ? [make('p', {}, 'The sale is over and Redis keeps it no longer: the ledger '
      + 'alone has its orders.')] : [],
    ...books.lost ? [notice(`${many(books.lost, 'accepted order')} or grabs of this partition are `
      + 'known to no store any more: a failover of Redis lost them. A repair cannot bring them '
      + 'back.', 'failure')] : [],
    make('ul', { className: 'sums' }, ...books.items.flatMap(item =>
      itemWords(item).map(text => make('li', {}, text)))),
    ledger.frame,
    ...isWrong && is('operator') ? [make('p', { className: 'actions' },
      button('Repair', startRepair, { kind: 'primary' }))] : [],
    ...isWrong && !is('operator') ? [make('p', {}, 'An operator can repair it.')] : [],
  ];
}

function driftCell(item) {
  return make('span', { className: item.drift ? 'count wrong' : 'count' }, count(item.drift));
}

/** What an item's numbers say. */
function itemWords(item) {
  const { sku, ordered, drift, total, ledgerTotal, inTransfer } = item;
  const parts = Object.entries(PLACES).filter(([name]) => item[name])
    .map(([name, [text]]) => `${count(item[name])} ${text}`);
  const words = [ordered
    ? `${sku}: ${many(ordered, 'unit')} ordered, of which ${parts.join(', ') || 'none is known'}.`
    : `${sku}: nothing is ordered.`];
  if (drift > 0) {
    words.push(`${sku}: ${many(drift, 'unit')} too many are deducted: no order has them.`);
  } else if (drift < 0) {
    words.push(`${sku}: ${many(-drift, 'unit')} too few are deducted: somebody has them, and they `
      + 'are offered all the same.');
  }
  if (total !== ledgerTotal) {
    words.push(`${sku}: the total is ${count(total)} in Redis and ${count(ledgerTotal)} in the `
      + 'ledger, which counts.');
  }
  if (inTransfer) words.push(`${sku}: ${many(inTransfer, 'unit')} on the way between two shards.`);
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
      make('li', {}, books.drift === 0 ? 'There is no drift.' : books.drift > 0
        ? `${many(books.drift, 'envelope')} counted as handed out that nobody has.`
        : `${many(-books.drift, 'envelope')} handed out that Redis does not count.`)),
    frame,
  ];
}

function verdict(word, texts, asOf) {
  const element = notice(texts[word] ?? word, 'verdict');
  element.dataset.verdict = word;
  const when = asOf ? `Both stores were read at ${clock(asOf)}. This page does not follow them.`
    : 'This page does not follow the books.';
  return make('div', {}, element, make('p', { className: 'hint' }, when));
}

function repair(page, books, seen) {
  const lines = [
    'It works while the sale goes on, and may take a minute. What it does, it reports.',
    ...books.verdict === 'not-loaded' ? ['The sale is put into Redis again from the ledger: terms, '
      + 'totals, limits and keys. Buyers can buy again after that.'] : [],
    'Orders that one store knows and the other has lost are written again.',
    ...books.items.flatMap(item => plan(item)),
  ];
  ask({
    title: `Repair ${page.name}?`, lines, verb: 'Repair it',
    perform: async () => {
      const { before, actions, books: after } = await send('POST', `${page.path}/books/repair`);
      seen.replaceChildren(
        notice(`Repaired: it was ${before} and is ${after.verdict}.`, 'done'),
        make('ul', { className: 'sums' }, ...actions.map(action => make('li', {}, done(action)))),
        ...saleBooks(after, () => repair(page, after, seen)));
      return `Repaired. The books are ${after.verdict}.`;
    },
  });
}

/** What a repair is likely to do to an item. */
function plan({ sku, drift, total, ledgerTotal }) {
  return [
    ...drift > 0 ? [`${sku}: up to ${many(drift, 'unit')} go on sale again.`] : [],
    ...drift < 0 ? [`${sku}: up to ${many(-drift, 'unit')} are taken off sale, as far as they `
      + 'are free.'] : [],
    ...total !== ledgerTotal ? [`${sku}: the total in Redis becomes ${count(ledgerTotal)}.`] : [],
  ];
}

function done({ action, sku, count: number }) {
  const [text, unit] = ACTIONS[action] ?? [action, 'unit'];
  return `${sku ? `${sku}: ` : ''}${text} (${action === 'total-corrected' ? count(number)
    : many(number, unit)}).`;
}

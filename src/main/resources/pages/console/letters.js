/** Dead letters: entries that the ledger could not store, and their replay. */
import { count, make } from '../page.js';
import { ask, attempt, button, heading, link, notice, pairs, table } from './parts.js';
import { call, is, send } from './session.js';
import { stamp } from './words.js';

const LIMIT = 200;

export function lettersPage(main, signal) {
  const found = make('div');
  const read = () => attempt(found, async () =>
    list((await call(`dead-letters?limit=${LIMIT}`, { signal })).deadLetters, read));
  main.replaceChildren(heading('Dead letters'),
    make('p', {}, 'Orders and grabs that the ledger could not store for a reason of their own. '
      + 'None is lost: each stays here until an operator replays it.'),
    make('p', { className: 'actions' }, button('Refresh', read)), found);
  read();
}

function list(letters, again) {
  if (!letters.length) return [notice('No dead letters.', 'done')];
  const { frame } = table('Dead letters',
    ['Dead letter', 'Sale or rain', 'Reason', '#Attempts', 'Since',
      ...is('operator') ? ['Actions'] : []],
    letters.map(letter => letterRow(letter, again)));
  return [make('p', { className: 'hint' }, letters.length === LIMIT ? `The newest ${LIMIT}.`
    : `${count(letters.length)} in total.`), frame];
}

function letterRow(letter, again) {
  const { id, kind, sale, rain, order, reason, tries, createdAt, fields } = letter;
  const where = sale ? link(sale, `sales/${encodeURIComponent(sale)}`)
    : rain ? link(rain, `rains/${encodeURIComponent(rain)}`) : '–';
  const entry = make('details', {}, make('summary', {}, 'Entry'),
    pairs(Object.entries(fields ?? {}).map(([name, value]) => [name, make('code', {}, value)])));
  return make('tr', {}, make('th', { scope: 'row' }, `${id} (${kind})`,
    make('span', { className: 'hint' }, order ?? '')),
  make('td', {}, where), make('td', {}, reason, entry),
  make('td', { className: 'number' }, count(tries)), make('td', {}, stamp(createdAt)),
  ...is('operator') ? [make('td', {}, button('Replay', () => replay(letter, again),
    { label: `Replay dead letter ${id}` }))] : []);
}

function replay({ id, kind, order }, again) {
  ask({
    title: `Replay dead letter ${id}?`,
    lines: [`The ${kind}${order ? ` ${order}` : ''} goes back into its stream, and a writer stores `
      + 'it.', 'If that fails again, it becomes a dead letter again. It is never stored twice.'],
    verb: 'Replay',
    perform: async () => {
      await send('POST', `dead-letters/${id}/replay`);
      again();
      return `Dead letter ${id} is back in its stream.`;
    },
  });
}

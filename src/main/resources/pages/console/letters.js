/** Dead letters: what the ledger cannot take, and putting it back into its stream. */
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
    make('p', {}, 'Orders and grabs that the ledger cannot take for a reason of their own. Nothing '
      + 'is lost: each waits here until its reason is gone and it is replayed.'),
    make('p', { className: 'actions' }, button('Read again', read)), found);
  read();
}

function list(letters, again) {
  if (!letters.length) return [notice('There is none. All is well.', 'done')];
  const { frame } = table('Dead letters',
    ['Letter', 'Of', 'Reason', '#Tries', 'Since', ...is('operator') ? ['Change'] : []],
    letters.map(letter => letterRow(letter, again)));
  return [make('p', { className: 'hint' }, letters.length === LIMIT ? `The newest ${LIMIT}.`
    : `${count(letters.length)} in all.`), frame];
}

function letterRow(letter, again) {
  const { id, kind, sale, rain, order, reason, tries, createdAt, fields } = letter;
  const where = sale ? link(sale, `sales/${encodeURIComponent(sale)}`)
    : rain ? link(rain, `rains/${encodeURIComponent(rain)}`) : '–';
  const entry = make('details', {}, make('summary', {}, 'Its entry'),
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
    lines: [`The ${kind}${order ? ` ${order}` : ''} enters its stream again, and a writer brings `
      + 'it to the ledger.', 'If its reason is still there, it comes back here. It is never '
      + 'stored twice.'],
    verb: 'Replay it',
    perform: async () => {
      await send('POST', `dead-letters/${id}/replay`);
      again();
      return `Dead letter ${id} is in its stream again.`;
    },
  });
}

/** Reservations on hold: they may have been paid before PostgreSQL lost commits. */
import { count, make } from '../page.js';
import { orderRoute } from './order.js';
import { ask, attempt, button, card, codeLink, field, input, notice, table } from './parts.js';
import { call, is, send } from './session.js';
import { many, stamp } from './words.js';

const CAUSE_MAX = 200;

export function holdsTab({ id, path, place, signal }) {
  const found = make('div');
  const read = () => attempt(found, async () =>
    list(id, await call(`${path}/holds`, { signal }), (order, held) =>
      release({ path, order, held, read })));
  place.replaceChildren(make('p', {}, 'After PostgreSQL lost commits, a payment of these '
    + 'reservations may be among what was lost, so they do not expire. Ask the payment system: '
    + 'confirm those that are paid, and release the rest.'), found);
  read();
}

function list(sale, { held, holds }, start) {
  if (!held) return [notice('Nothing is on hold.', 'done')];
  const may = is('operator');
  const { frame } = table('Reservations on hold',
    ['Order', 'User', 'Was to be paid by', ...may ? ['Change'] : []],
    holds.map(hold => card(codeLink(hold.order, orderRoute(sale, hold.order, hold.user)),
      { User: make('code', {}, hold.user), 'Was to be paid by': stamp(hold.payBy) },
      ...may ? [make('td', {}, button('Release', () => start(hold.order, 1),
        { label: `Release the order ${hold.order}` }))] : [])));
  frame.classList.add('cards');
  return [make('p', { className: 'hint' }, held > holds.length
    ? `${count(holds.length)} of ${count(held)}, by the time of payment.`
    : `${many(held, 'reservation')}, by the time of payment.`), frame,
  ...may ? [make('p', { className: 'actions' }, button(`Release all ${count(held)}`,
    () => start(undefined, held), { kind: 'danger-start' }))] : []];
}

function release({ path, order, held, read }) {
  ask({
    title: order ? 'Release this reservation?' : `Release all ${many(held, 'reservation')}?`,
    danger: !order,
    fields: [field('Why', input('cause', { maxLength: CAUSE_MAX }), 'Optional, for the audit.')],
    lines: ['What is past its time of payment expires within seconds, and its units go on sale '
      + 'again.', 'A buyer who has paid without being confirmed loses the order.'],
    verb: order ? 'Release it' : 'Release all',
    perform: async form => {
      const cause = form.get('cause') || undefined;
      const answer = await send('POST', `${path}/holds/release`, { order, cause });
      read();
      return `${many(answer.released, 'reservation')} released; ${count(answer.held)} on hold.`;
    },
  });
}

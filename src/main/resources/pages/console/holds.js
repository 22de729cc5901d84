/** Reservations on hold: PostgreSQL may have lost their confirmations. */
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
  place.replaceChildren(make('p', {}, 'PostgreSQL lost commits, and the confirmations of these '
    + 'reservations may be among them. So they do not expire. Check the payment system: confirm '
    + 'the paid reservations and release the others.'), found);
  read();
}

function list(sale, { held, holds }, start) {
  if (!held) return [notice('No reservations on hold.', 'done')];
  const may = is('operator');
  const { frame } = table('Reservations on hold',
    ['Order', 'User', 'Payment was due', ...may ? ['Actions'] : []],
    holds.map(hold => card(codeLink(hold.order, orderRoute(sale, hold.order, hold.user)),
      { User: make('code', {}, hold.user), 'Payment was due': stamp(hold.payBy) },
      ...may ? [make('td', {}, button('Release', () => start(hold.order, 1),
        { label: `Release the order ${hold.order}` }))] : [])));
  frame.classList.add('cards');
  return [make('p', { className: 'hint' }, held > holds.length
    ? `${count(holds.length)} of ${count(held)}, earliest due first.`
    : `${many(held, 'reservation')}, earliest due first.`), frame,
  ...may ? [make('p', { className: 'actions' }, button(`Release all ${count(held)}`,
    () => start(undefined, held), { kind: 'danger-start' }))] : []];
}

function release({ path, order, held, read }) {
  ask({
    title: order ? 'Release this reservation?' : `Release all ${many(held, 'reservation')}?`,
    danger: !order,
    fields: [field('Cause', input('cause', { maxLength: CAUSE_MAX }), 'Optional, for the audit.')],
    lines: ['Overdue reservations expire within seconds, and their units go back on sale.',
      'A buyer whose payment was not confirmed loses the order.'],
    verb: order ? 'Release the reservation' : 'Release all',
    perform: async form => {
      const cause = form.get('cause') || undefined;
      const answer = await send('POST', `${path}/holds/release`, { order, cause });
      read();
      return `${many(answer.released, 'reservation')} released; ${count(answer.held)} on hold.`;
    },
  });
}

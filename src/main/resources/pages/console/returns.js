/** Returns of a sale by state, with the reason why they wait. */
import { count, make } from '../page.js';
import { attempt, choice, notice, table } from './parts.js';
import { call } from './session.js';
import { badge, stamp } from './words.js';

const LIMIT = 200;
const STATES = {
  parked: 'Parked: waiting for the order',
  alarmed: 'Alarmed: waiting too long',
  returned: 'Returned',
  void: 'Void: there is no such order',
};

export function returnsTab({ path, place, signal }) {
  const found = make('div');
  const state = choice('state', STATES, 'parked');
  state.id = 'return-state';
  const read = () => attempt(found, async () => {
    const query = `state=${state.value}&limit=${LIMIT}`;
    const { returns } = await call(`${path}/returns?${query}`, { signal });
    return list(returns);
  });
  state.addEventListener('change', read);
  place.replaceChildren(make('p', { className: 'field' },
    make('label', { htmlFor: state.id }, 'State'), state), found);
  read();
}

function list(returns) {
  if (!returns.length) return [notice('No returns in this state.')];
  const { frame } = table('Returns',
    ['Order or key', 'User', 'State', 'Reason', '#Attempts', 'Requested'],
    returns.map(one => make('tr', {},
      make('th', { scope: 'row' }, make('code', {}, one.order ?? one.idempotencyKey)),
      make('td', {}, make('code', {}, one.user)), make('td', {}, badge(one.state)),
      make('td', {}, one.reason ?? '–'), make('td', { className: 'number' }, count(one.tries)),
      make('td', {}, stamp(one.createdAt)))));
  return [make('p', { className: 'hint' }, returns.length === LIMIT
    ? `The newest ${LIMIT}.` : `${count(returns.length)} in total.`), frame];
}

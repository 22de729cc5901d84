/** The leaderboard of a rain. */
import { count, make } from '../page.js';
import { attempt, button, choice, notice, row, table } from './parts.js';
import { service } from './session.js';

const TOP = 50;

export function leadersTab({ path, place, signal }) {
  const found = make('div');
  const by = choice('by', { user: 'Users by total', grab: 'Single grabs' }, 'user');
  by.id = 'leaders-by';
  const read = () => attempt(found, async () => {
    const { entries } = await service.call(`${path}/leaderboard?top=${TOP}&by=${by.value}`,
      { signal });
    if (!entries.length) return [notice('No grabs yet.')];
    return table('Leaderboard', ['Rank', 'User', '#Minor units', by.value === 'user'
      ? '#Grabs' : '#Grab number'], entries.map(entry => row(count(entry.rank),
      make('code', {}, entry.user), count(entry.amount), count(entry.grabs ?? entry.nth)))).frame;
  });
  by.addEventListener('change', read);
  place.replaceChildren(make('div', { className: 'line' },
    make('p', { className: 'field' }, make('label', { htmlFor: by.id }, 'Rank'), by),
    button('Refresh', read)), found);
  read();
}

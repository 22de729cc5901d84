/** The blocklist: users whose purchases and grabs are refused. */
import { count, make } from '../page.js';
import { USER } from './limits.js';
import { ask, attempt, button, field, form, heading, input, notice, table } from './parts.js';
import { call, is, send } from './session.js';

const PAGE = 100;

export function blockedPage(main, signal) {
  const found = make('div');
  const answer = make('div');
  const newest = `blocklist?limit=${PAGE}`;
  const state = { path: newest };
  const read = () => attempt(found, async () =>
    list(await call(state.path, { signal }), { read, state, newest }));
  const look = form(({ user }) => attempt(answer, async () => {
    const isBlocked = await call(`blocklist/${encodeURIComponent(user)}`, { signal })
      .then(() => true, error => {
        if (error.status === 404) return false;
        throw error;
      });
    return [notice(isBlocked ? `${user} is blocked.` : `${user} is not blocked.`),
      ...is('operator') ? [make('p', { className: 'actions' }, isBlocked
        ? button('Unblock the user', () => unblock(user, read, answer))
        : button('Block the user', () => block(user, read, answer), { kind: 'danger-start' }))]
        : []];
  }), field('User', input('user', { required: true, pattern: USER })),
  make('button', { className: 'primary' }, 'Look up'));
  main.replaceChildren(heading('Blocklist'),
    make('p', {}, 'All pods refuse purchases, grabs and returns of these users within a second. '
      + 'Existing orders are not affected.'),
    look, answer, found);
  read();
}

function list({ users, next }, { read, state, newest }) {
  if (!users.length) return [notice('No blocked users.')];
  const turn = path => { state.path = path; read(); };
  const { frame } = table('Blocked users', ['User', ...is('operator') ? ['Actions'] : []],
    users.map(user => make('tr', {}, make('th', { scope: 'row' }, make('code', {}, user)),
      ...is('operator') ? [make('td', {}, button('Unblock', () => unblock(user, read),
        { label: `Unblock ${user}` }))] : [])));
  return [make('h2', {}, `Blocked: ${count(users.length)}${next ? ' and more' : ''}`), frame,
    make('p', { className: 'actions' },
      ...state.path === newest ? [] : [button('Back to the start', () => turn(newest))],
      ...next ? [button('More', () => turn(next.replace(/^.*\/v1\//, '')))] : [])];
}

function block(user, read, answer) {
  ask({
    title: `Block ${user}?`,
    danger: true,
    lines: ['New purchases, grabs and returns of this user are refused within a second.',
      'Existing orders are not affected.'],
    verb: 'Block the user',
    perform: async () => {
      await send('PUT', `blocklist/${encodeURIComponent(user)}`);
      answer.replaceChildren();
      read();
      return `${user} is blocked.`;
    },
  });
}

function unblock(user, read, answer) {
  ask({
    title: `Unblock ${user}?`,
    lines: ['The user can buy, grab and return again within a second.'],
    verb: 'Unblock the user',
    perform: async () => {
      await send('DELETE', `blocklist/${encodeURIComponent(user)}`);
      answer?.replaceChildren();
      read();
      return `${user} is unblocked.`;
    },
  });
}

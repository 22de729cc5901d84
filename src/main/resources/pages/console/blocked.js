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
        ? button('Let the user in again', () => letIn(user, read, answer))
        : button('Block the user', () => block(user, read, answer), { kind: 'danger-start' }))]
        : []];
  }), field('User', input('user', { required: true, pattern: USER })),
  make('button', { className: 'primary' }, 'Look up'));
  main.replaceChildren(heading('Blocklist'),
    make('p', {}, 'Purchases, grabs and returns of these users are refused, on every pod within a '
      + 'second. What they have, they keep.'),
    look, answer, found);
  read();
}

function list({ users, next }, { read, state, newest }) {
  if (!users.length) return [notice('Nobody is blocked.')];
  const turn = path => { state.path = path; read(); };
  const { frame } = table('Blocked users', ['User', ...is('operator') ? ['Change'] : []],
    users.map(user => make('tr', {}, make('th', { scope: 'row' }, make('code', {}, user)),
      ...is('operator') ? [make('td', {}, button('Let in', () => letIn(user, read),
        { label: `Let ${user} in again` }))] : [])));
  return [make('h2', {}, `Blocked: ${count(users.length)}${next ? ' and more' : ''}`), frame,
    make('p', { className: 'actions' },
      ...state.path === newest ? [] : [button('From the beginning', () => turn(newest))],
      ...next ? [button('More', () => turn(next.replace(/^.*\/v1\//, '')))] : [])];
}

function block(user, read, answer) {
  ask({
    title: `Block ${user}?`,
    danger: true,
    lines: ['New purchases, grabs and returns of this user are refused within a second.',
      'Orders that the user has stay as they are.'],
    verb: 'Block the user',
    perform: async () => {
      await send('PUT', `blocklist/${encodeURIComponent(user)}`);
      answer.replaceChildren();
      read();
      return `${user} is blocked.`;
    },
  });
}

function letIn(user, read, answer) {
  ask({
    title: `Let ${user} in again?`,
    lines: ['The user can buy and grab again within a second, like everybody else.'],
    verb: 'Let the user in',
    perform: async () => {
      await send('DELETE', `blocklist/${encodeURIComponent(user)}`);
      answer?.replaceChildren();
      read();
      return `${user} is not blocked any more.`;
    },
  });
}

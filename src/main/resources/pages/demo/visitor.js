/** Shared by both pages: the visitor, the connection and announcements. */
import { $, claims, left, make, say, write } from '../page.js';
import { Rush } from '../rush.js';

export { $, arrange, count, left, make, say, write } from '../page.js';

const NAME = 'rush-demo:name';

/** The pasted token: in memory only, so a reload discards it. */
let token = null;

/** A parameter of the page's address. */
export function parameter(name, otherwise) {
  return new URLSearchParams(location.search).get(name) || otherwise;
}

/** Whether the visitor prefers reduced motion. */
export function isCalm() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/**
 * Identifies the visitor: makes a call that needs an identity, and asks for a token if the
 * service does not accept the header. Returns the client.
 */
export async function arrive(call) {
  for (;;) {
    const rush = new Rush({ user: who(), headers });
    try {
      await call(rush);
    } catch (error) {
      if (error.status === 401) {
        await askForToken(token !== null);
        continue;
      }
      // The page itself reports what it cannot load.
    }
    write($('visitor'), who());
    $('other').addEventListener('click', switchUser);
    return rush;
  }
}

function headers() {
  return token ? { Authorization: `Bearer ${token}` } : { 'X-User-Id': guest() };
}

/** The name in the token, or this browser's guest name. */
function who() {
  return token ? claims(token).sub || 'unknown' : guest();
}

function guest() {
  let name = null;
  try {
    name = localStorage.getItem(NAME);
    if (!name) {
      name = `guest-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
      localStorage.setItem(NAME, name);
    }
  } catch {
    name ??= 'guest';
  }
  return name;
}

function switchUser() {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Without storage there is no stored name.
  }
  location.reload();
}

function askForToken(again) {
  const field = make('textarea', { id: 'token', rows: 4, required: true, spellcheck: false,
    autocomplete: 'off' });
  const dialog = make('dialog', { id: 'sign-in', ariaLabel: 'Sign in' },
    make('form', { method: 'dialog' },
      make('h2', {}, 'Sign in'),
      make('p', { id: 'sign-in-why' }, again ? 'That token was not accepted. Try another one.'
        : 'This service requires a token. It is kept only in this page’s memory.'),
      make('label', { htmlFor: field.id }, 'Access token'), field,
      make('button', { type: 'submit', className: 'primary' }, 'Sign in')));
  document.body.append(dialog);
  dialog.addEventListener('cancel', event => event.preventDefault());
  dialog.showModal();
  return new Promise(resolve => {
    dialog.addEventListener('close', () => {
      token = field.value.trim();
      dialog.remove();
      resolve();
    });
  });
}

/** Shows the state of the connection. */
export function showLink(state) {
  const link = $('link');
  if (link.dataset.state === state) return;
  link.dataset.state = state;
  write(link, { live: 'Live', lost: 'Connection lost. Reconnecting…' }[state]);
}

/**
 * Runs a page: loads its sale or rain, then calls `start`. A lost connection does not stop it, a
 * missing sale or rain does.
 */
export async function run(kind, id, load, start) {
  try {
    await load();
  } catch (error) {
    if (error.code === `unknown-${kind}`) {
      write($('title'), `There is no such ${kind}`);
      write($('state'), `“${id}” has not been prepared yet.`);
      showLink('live');
      return;
    }
    showLink('lost');
  }
  start();
}

/** Announces a changed state. */
export function sayState(texts, before, state) {
  if (before && before !== state) say(texts[state]);
}

/**
 * Counts down to a server time, and announces only a few marks.
 *
 * @param target returns `{ label, at }`, or null if nothing is due
 */
export function countDown(rush, target) {
  const marks = [60, 30, 10];
  let last = Infinity;
  const tick = () => {
    const goal = target();
    $('countdown').hidden = !goal;
    if (!goal) return;
    const rest = goal.at - rush.now();
    const clock = rest > 0 ? left(rest) : goal.over;
    write($('countdown'), goal.isNear ? clock : `${goal.label} ${clock}`);
    $('countdown').classList.toggle('small', !goal.isNear);
    const seconds = Math.ceil(rest / 1000);
    if (marks.includes(seconds) && seconds !== last) say(`${goal.label} ${seconds} seconds`);
    last = seconds;
  };
  setInterval(tick, 200);
  return tick;
}

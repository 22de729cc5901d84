/** What both pages share: who visits, and how things are said. */
import { $, claims, left, make, say, write } from '../page.js';
import { Rush } from '../rush.js';

export { $, arrange, count, left, make, say, write } from '../page.js';

const NAME = 'rush-demo:name';

/** The token that was pasted: in memory only, so that a reload forgets it. */
let token = null;

/** The value of a parameter of the page's address. */
export function parameter(name, otherwise) {
  return new URLSearchParams(location.search).get(name) || otherwise;
}

/** Whether little should move. */
export function isCalm() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/**
 * Lets the visitor in: tries a call that needs an identity, and asks for a token where the
 * service believes no header. Returns the client.
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
      // The page says by itself what it cannot load.
    }
    write($('visitor'), who());
    $('other').addEventListener('click', becomeSomebodyElse);
    return rush;
  }
}

function headers() {
  return token ? { Authorization: `Bearer ${token}` } : { 'X-User-Id': guest() };
}

/** The name in the token, or the one that this browser was given. */
function who() {
  return token ? claims(token).sub || 'somebody' : guest();
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

function becomeSomebodyElse() {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Without storage every page is somebody else's anyway.
  }
  location.reload();
}

function askForToken(again) {
  const field = make('textarea', { id: 'token', rows: 4, required: true, spellcheck: false,
    autocomplete: 'off' });
  const dialog = make('dialog', { id: 'sign-in', ariaLabel: 'Who are you?' },
    make('form', { method: 'dialog' },
      make('h2', {}, 'Who are you?'),
      make('p', { id: 'sign-in-why' }, again ? 'That token was not believed. Try another one.'
        : 'This service believes tokens only. Yours stays in this page’s memory.'),
      make('label', { htmlFor: field.id }, 'Access token'), field,
      make('button', { type: 'submit', className: 'primary' }, 'Come in')));
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

/** Shows whether the connection is there. */
export function showLink(state) {
  const link = $('link');
  if (link.dataset.state === state) return;
  link.dataset.state = state;
  write(link, { live: 'Live', lost: 'Connection lost. Trying again…' }[state]);
}

/**
 * Runs a page: loads what it shows and goes on if there is such a sale or rain, or if only the
 * connection is missing.
 */
export async function run(kind, id, load, goOn) {
  try {
    await load();
  } catch (error) {
    if (error.word === `unknown-${kind}`) {
      write($('title'), `There is no such ${kind}`);
      write($('state'), `Nobody has prepared “${id}” yet.`);
      showLink('live');
      return;
    }
    showLink('lost');
  }
  goOn();
}

/** Says a state that is new. */
export function sayState(texts, before, state) {
  if (before && before !== state) say(texts[state]);
}

/**
 * Counts down to an instant of the server's clock, and says aloud only what matters.
 *
 * @param target returns `{ label, at }`, or null while there is nothing to wait for
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

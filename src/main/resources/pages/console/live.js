/**
 * Keeps figures alive: reads them again and again, and marks them once no answer has come for a
 * while. What is marked is never taken for live: it is dimmed, and nothing can be done by it.
 */
import { $, say, write } from '../page.js';
import { learn, service, signIn } from './session.js';
import { clock } from './words.js';

const CALL_MS = 4_000;
/** Figures may be this old beyond the time between two reads. */
const LATE_MS = 2_500;
const BACKOFF_MAX_MS = 5_000;
const TEXT = { waiting: 'Connecting…', live: 'Live', lost: 'Connection lost', still: '' };

/** When the figures on the page were read, by the server's clock. */
let asOf = 0;

/** Whether the figures on the page are too old to act upon. */
export function isLost() {
  return document.body.dataset.live === 'lost';
}

/** Shows how alive the page's figures are. */
export function showLink(state) {
  const before = document.body.dataset.live;
  if (before === state) return;
  document.body.dataset.live = state;
  write($('link'), TEXT[state]);
  $('stale').hidden = state !== 'lost';
  if (state === 'lost') {
    write($('stale-text'), asOf ? `These figures are from ${clock(asOf)} and are not live.`
      : 'Nothing could be read yet.');
  }
  if (before === 'lost' && state === 'live') say('Connected again. The figures are live.');
  for (const button of document.querySelectorAll('[data-needs-live]')) {
    button.disabled = state === 'lost';
  }
}

/**
 * Reads a path every so many milliseconds and shows what it says, until `signal` ends it.
 *
 * @param path    returns the path to read
 * @param time    when what was read held, by the server's clock, or nothing
 * @param refused hears of an answer that says that there is nothing to show
 */
export async function follow(path, { every, time, show, refused = () => {}, signal }) {
  let heard = performance.now();
  asOf = 0;
  showLink('waiting');
  const watch = setInterval(() => {
    // A page that nobody sees is read when the browser lets it.
    if (!document.hidden && performance.now() - heard > every + LATE_MS) showLink('lost');
  }, 250);
  signal.addEventListener('abort', () => clearInterval(watch));
  for (let failures = 0; !signal.aborted;) {
    const began = performance.now();
    const { seen, error } = await read(path(), signal);
    if (signal.aborted) return;
    let wait = every;
    if (seen) {
      const told = Date.parse(time(seen)) || 0;
      // A view may be a second old.
      if (told) learn(told, performance.timeOrigin + began - 1000);
      asOf = told || service.now();
      failures = 0;
      heard = performance.now();
      show(seen);
      showLink('live');
    } else if (error.status === 401) {
      await signIn();
      wait = 0;
    } else if (error.status < 500 && error.status !== 429 || error.word === 'not-loaded') {
      heard = performance.now();
      showLink('still');
      refused(error);
      if (error.word !== 'not-loaded') {
        clearInterval(watch);
        return;
      }
    } else {
      wait = Math.max(Math.min(every * 2 ** failures++, BACKOFF_MAX_MS),
        (error.retryAfter || 0) * 1000);
    }
    await rest(Math.max(0, wait - (performance.now() - began)), signal);
  }
}

/** What a path says, or why it could not be read. */
function read(path, signal) {
  return service.call(path, { signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]) })
    .then(seen => ({ seen }), error => ({ error }));
}

/** Waits, but no longer than until the browser is online or the page is seen again. */
function rest(milliseconds, signal) {
  return new Promise(resolve => {
    const done = new AbortController();
    const end = () => { done.abort(); resolve(); };
    const timer = setTimeout(end, milliseconds);
    done.signal.addEventListener('abort', () => clearTimeout(timer));
    window.addEventListener('online', end, { signal: done.signal });
    document.addEventListener('visibilitychange', end, { signal: done.signal });
    signal.addEventListener('abort', end, { signal: done.signal });
  });
}

// A machine that slept or lost its network says so before the next read fails.
window.addEventListener('offline', () => {
  if (document.body.dataset.live === 'live') showLink('lost');
});

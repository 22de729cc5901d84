/**
 * Keeps figures live: polls them, and marks them as stale once an answer is overdue. Stale figures
 * are dimmed, and actions on them are disabled.
 */
import { $, say, write } from '../page.js';
import { learn, service, signIn } from './session.js';
import { clock } from './words.js';

const CALL_MS = 4_000;
/** An answer is overdue this long after the polling interval. */
const LATE_MS = 2_500;
const BACKOFF_MAX_MS = 5_000;
const TEXT = { waiting: 'Connecting…', live: 'Live', lost: 'Connection lost', still: '' };

/** The server time of the figures on the page. */
let asOf = 0;

/** Whether the figures on the page are too old to act on. */
export function isLost() {
  return document.body.dataset.live === 'lost';
}

/** Shows the state of the connection. */
export function showLink(state) {
  const before = document.body.dataset.live;
  if (before === state) return;
  document.body.dataset.live = state;
  write($('link'), TEXT[state]);
  $('stale').hidden = state !== 'lost';
  if (state === 'lost') {
    write($('stale-text'), asOf ? `These figures are from ${clock(asOf)} and are not live.`
      : 'Nothing has been loaded yet.');
  }
  if (before === 'lost' && state === 'live') say('Reconnected. The figures are live.');
  for (const button of document.querySelectorAll('[data-needs-live]')) {
    button.disabled = state === 'lost';
  }
}

/**
 * Polls a path and shows each answer, until `signal` aborts.
 *
 * @param path    returns the path to read
 * @param time    returns the server time of an answer, or nothing
 * @param refused is called with a refusal, after which there is nothing to show
 */
export async function follow(path, { every, time, show, refused = () => {}, signal }) {
  let answeredAt = performance.now();
  asOf = 0;
  showLink('waiting');
  const watch = setInterval(() => {
    // Browsers throttle the timers of hidden pages.
    if (!document.hidden && performance.now() - answeredAt > every + LATE_MS) showLink('lost');
  }, 250);
  signal.addEventListener('abort', () => clearInterval(watch));
  for (let failures = 0; !signal.aborted;) {
    const began = performance.now();
    const { seen, error } = await read(path(), signal);
    if (signal.aborted) return;
    let wait = every;
    if (seen) {
      const serverTime = Date.parse(time(seen)) || 0;
      // A view may be a second old.
      if (serverTime) learn(serverTime, performance.timeOrigin + began - 1000);
      asOf = serverTime || service.now();
      failures = 0;
      answeredAt = performance.now();
      show(seen);
      showLink('live');
    } else if (error.status === 401) {
      await signIn();
      wait = 0;
    } else if (error.status < 500 && error.status !== 429 || error.code === 'not-loaded') {
      answeredAt = performance.now();
      showLink('still');
      refused(error);
      if (error.code !== 'not-loaded') {
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

/** The answer of a path, or why there is none. */
function read(path, signal) {
  return service.call(path, { signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]) })
    .then(seen => ({ seen }), error => ({ error }));
}

/** Waits, but at most until the browser is online or the page is visible again. */
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

// The browser reports a lost network before the next read fails.
window.addEventListener('offline', () => {
  if (document.body.dataset.live === 'live') showLink('lost');
});

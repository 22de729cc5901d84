/**
 * The session: a token, or a name and a role, in this module's memory only. A reload discards it.
 */
import { $, claims, make, say, write } from '../page.js';
import { Rush, RushProblem } from '../rush.js';
import { canRefresh, forget, provider, redirect, refreshed, returned } from './oidc.js';

const ROLES = ['operator', 'auditor', 'payer'];
const PROBE_MS = 5_000;
const PAUSE_MS = 2_000;
const DELAY_MIN_MS = 1_000;
/** A timer with a delay beyond 2^31 ms fires immediately. */
const DELAY_MAX_MS = 12 * 3_600_000;
const RECHECK_MS = 5_000;
const ENDED = 'Your session has expired. Sign in again to continue.';

/** The headers that identify the caller. */
let identity = {};
let signingIn = null;
let renewal = 0;
/** The status of the last probe, and when it arrived. */
let probeStatus = 0;
let probedAt = 0;
let isClockKnown = false;

export const service = new Rush({ headers: () => identity });

/** `means` is token, header, or gateway if a proxy identifies the caller. */
export const session = { user: '', roles: [], means: null, ends: Infinity };

/** Whether the user has one of these roles. */
export function is(...roles) {
  return roles.some(role => session.roles.includes(role));
}

/** Calls what operators and auditors may read: the status shows what this identity may do. */
async function probe() {
  for (;;) {
    try {
      const response = await fetch(new URL('sales?limit=1', service.base), {
        headers: identity, cache: 'no-store', credentials: 'omit',
        signal: AbortSignal.timeout(PROBE_MS),
      });
      if (response.status < 500 && response.status !== 429) {
        $('unreachable').hidden = true;
        probedAt = performance.now();
        return {
          status: response.status,
          wantsToken: Boolean(response.headers.get('WWW-Authenticate')?.startsWith('Bearer')),
        };
      }
    } catch {
      // Retried below, like a failure that the service reports.
    }
    $('unreachable').hidden = false;
    await new Promise(resolve => { setTimeout(resolve, PAUSE_MS); });
  }
}

/** Signs in, and shows why. Concurrent callers share one sign-in. */
export function signIn(why = ENDED) {
  signingIn ??= identify(why).finally(() => { signingIn = null; });
  return signingIn;
}

/** The service read its clock after `since`. */
export function learn(serverTime, since) {
  isClockKnown = true;
  service.learn(serverTime, since);
}

/** The token has expired; if only by the local clock, the service decides. */
export function end() {
  if (signingIn) return;
  if (isClockKnown) expire();
  else if (performance.now() - probedAt > RECHECK_MS) signIn();
}

async function identify(why) {
  const before = session.user + session.roles;
  let reason = why;
  let mayRefresh = true;
  const back = await returned();
  if (back?.token) identity = bearer(back.token);
  if (back?.failure) reason = back.failure;
  for (;;) {
    const { status, wantsToken } = await probe();
    if (status !== 401) {
      applyIdentity(status);
      break;
    }
    const next = mayRefresh && await refreshed();
    mayRefresh = false;
    if (next) {
      identity = bearer(next);
      continue;
    }
    session.means = wantsToken ? 'token' : 'header';
    identity = await ask(reason, wantsToken && await provider());
    forget();
    reason = wantsToken ? 'The service does not accept that token. It may have expired.' : '';
  }
  notifyOfChange(before);
}

function bearer(token) {
  return { Authorization: `Bearer ${token}` };
}

function notifyOfChange(before) {
  if (before !== session.user + session.roles) window.dispatchEvent(new Event('rush:session'));
}

/** Sets the user and roles of an accepted identity. Claims count only if the service agrees. */
function applyIdentity(status) {
  probeStatus = status;
  const reads = status !== 403;
  if (identity.Authorization) {
    const claimed = claims(identity.Authorization.slice('Bearer '.length));
    const groups = [].concat(claimed.groups ?? []);
    session.user = claimed.sub || 'unknown';
    session.ends = claimed.exp ? claimed.exp * 1000 : Infinity;
    session.roles = ROLES.filter(role => groups.includes(role));
    renewLater();
  } else if (identity['X-User-Id']) {
    session.user = identity['X-User-Id'];
    session.roles = ROLES.filter(role => role === identity['X-User-Roles']);
  } else {
    session.means = 'gateway';
    session.user = '';
    session.roles = reads ? ['operator'] : [];
  }
  if (!reads) session.roles = session.roles.filter(role => role === 'payer');
}

/**
 * Requests the next token from the provider halfway through this one's life. While that fails, it
 * retries halfway through the remaining time.
 */
function renewLater() {
  clearTimeout(renewal);
  const rest = session.ends - service.now();
  if (rest === Infinity || !canRefresh()) return;
  renewal = setTimeout(async () => {
    const held = identity;
    const before = session.user + session.roles;
    const token = await refreshed();
    if (identity !== held) return; // There was another sign-in.
    if (!token) {
      renewLater();
      return;
    }
    identity = bearer(token);
    applyIdentity(probeStatus);
    notifyOfChange(before);
  }, Math.min(DELAY_MAX_MS, Math.max(DELAY_MIN_MS, rest / 2)));
}

/**
 * Asks for a token, or for a name and a role; returns the headers for it. A provider takes over the
 * browser and redirects it back.
 */
function ask(why, hasProvider) {
  const dialog = $('sign-in');
  const wantsToken = session.means === 'token';
  write($('sign-in-why'), why);
  $('sign-in-token').hidden = !wantsToken;
  $('sign-in-name').hidden = wantsToken;
  $('sign-in-provider').hidden = !hasProvider;
  $('sign-in-paste').open = !hasProvider;
  $('sign-in-paste').querySelector('summary').hidden = !hasProvider;
  $('token').required = wantsToken;
  $('sign-in-go').onclick = () => redirect(text => write($('sign-in-why'), text));
  $('name').required = !wantsToken;
  if (why) say(why);
  return new Promise(resolve => {
    dialog.addEventListener('cancel', event => event.preventDefault());
    dialog.addEventListener('close', () => {
      const token = $('token').value.trim();
      $('token').value = '';
      resolve(wantsToken ? bearer(token)
        : { 'X-User-Id': $('name').value.trim(), 'X-User-Roles': $('role').value });
    }, { once: true });
    dialog.showModal();
  });
}

/** Asks for a new token. The page stays as it is. */
export function expire(why = ENDED) {
  session.ends = Infinity;
  if (!signingIn) identity = {};
  return signIn(why);
}

/** Discards the identity. */
export function signOut() {
  identity = {};
  location.reload();
}

/** Calls the service. A 401 asks for a new sign-in. */
export async function call(path, options) {
  try {
    return await service.call(path, options);
  } catch (error) {
    if (error.status === 401) expire();
    throw error;
  }
}

/** Calls with a JSON body. */
export function send(method, path, body) {
  return call(path, body === undefined ? { method }
    : { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
}

/**
 * Saves the answer of a path as a CSV file, and returns its size in bytes. `read` receives the
 * bytes read so far. A truncated file is not saved.
 */
export async function save(path, name, signal, read) {
  const headers = { ...identity, Accept: 'text/csv' };
  const response = await fetch(new URL(path, service.base),
    { headers, signal, cache: 'no-store', credentials: 'omit' });
  if (!response.ok) {
    if (response.status === 401) expire();
    throw new RushProblem(response.status, await response.json().catch(() => ({})));
  }
  const parts = [];
  let bytes = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    read(bytes += value.length);
  }
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  make('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return bytes;
}

/** Shows who is signed in. */
export function showUser() {
  const roles = session.roles.join(', ') || 'no console role';
  $('user').replaceChildren(make('strong', {}, session.user || 'Signed in by the gateway'),
    ` · ${roles}`);
  $('sign-out').hidden = session.means === 'gateway';
}

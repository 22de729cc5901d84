/**
 * Who uses the console. A pasted token, or the name that stands for one where headers say who
 * calls, is in this module's memory only: a reload forgets it.
 */
import { $, claims, make, say, write } from '../page.js';
import { Rush } from '../rush.js';

const ROLES = ['operator', 'auditor', 'payer'];
const PROBE_MS = 5_000;
const PAUSE_MS = 2_000;

/** What says who calls. */
let identity = {};
let signingIn = null;

export const service = new Rush({ headers: () => identity });

/** `means` is token, header, or gateway where something before the service says who calls. */
export const session = { user: '', roles: [], means: null, ends: Infinity };

/** Whether the user has one of these roles. */
export function is(...roles) {
  return roles.some(role => session.roles.includes(role));
}

/** Reads what operators read; tells by its answer who may. */
async function probe() {
  for (;;) {
    try {
      const response = await fetch(new URL('sales?limit=1', service.base), {
        headers: identity, cache: 'no-store', credentials: 'omit',
        signal: AbortSignal.timeout(PROBE_MS),
      });
      if (response.status < 500 && response.status !== 429) {
        $('unreachable').hidden = true;
        return {
          status: response.status,
          wantsToken: Boolean(response.headers.get('WWW-Authenticate')?.startsWith('Bearer')),
        };
      }
    } catch {
      // Asked again below, as after a failure that the service tells.
    }
    $('unreachable').hidden = false;
    await new Promise(resolve => { setTimeout(resolve, PAUSE_MS); });
  }
}

/** Signs in, or in again after `why`. Those who ask meanwhile wait for the same. */
export function signIn(why = '') {
  signingIn ??= identify(why).finally(() => { signingIn = null; });
  return signingIn;
}

async function identify(why) {
  const before = session.user + session.roles;
  let reason = why;
  for (;;) {
    const { status, wantsToken } = await probe();
    if (status !== 401) {
      settle(status);
      break;
    }
    session.means = wantsToken ? 'token' : 'header';
    identity = await ask(reason);
    reason = wantsToken ? 'The service does not accept that token. It may have expired.' : '';
  }
  if (before !== session.user + session.roles) window.dispatchEvent(new Event('rush:session'));
}

/** What the identity that was accepted may do. What it says itself is only half of it. */
function settle(status) {
  const reads = status !== 403;
  if (identity.Authorization) {
    const told = claims(identity.Authorization.slice('Bearer '.length));
    const groups = [].concat(told.groups ?? []);
    session.user = told.sub || 'somebody';
    session.ends = told.exp ? told.exp * 1000 : Infinity;
    session.roles = ROLES.filter(role => groups.includes(role));
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

/** Asks for a token, or for a name and a role; returns the headers that say so. */
function ask(why) {
  const dialog = $('sign-in');
  const wantsToken = session.means === 'token';
  write($('sign-in-why'), why);
  $('sign-in-token').hidden = !wantsToken;
  $('sign-in-name').hidden = wantsToken;
  $('token').required = wantsToken;
  $('name').required = !wantsToken;
  if (why) say(why);
  return new Promise(resolve => {
    dialog.addEventListener('cancel', event => event.preventDefault());
    dialog.addEventListener('close', () => {
      const token = $('token').value.trim();
      $('token').value = '';
      resolve(wantsToken ? { Authorization: `Bearer ${token}` }
        : { 'X-User-Id': $('name').value.trim(), 'X-User-Roles': $('role').value });
    }, { once: true });
    dialog.showModal();
  });
}

/** The session is over: asks for another token over the page as it is. */
export function expire(why = 'Your session has ended. Paste a new token to go on.') {
  session.ends = Infinity;
  if (!signingIn) identity = {};
  return signIn(why);
}

/** Forgets all. */
export function signOut() {
  identity = {};
  location.reload();
}

/** Calls the service; where it believes the identity no longer, asks for another one. */
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

/** Shows who is signed in, and counts down the last minutes of a token. */
export function showUser() {
  const roles = session.roles.join(', ') || 'no role of the console';
  $('user').replaceChildren(make('strong', {}, session.user || 'Signed in by the gateway'),
    ` · ${roles}`);
  $('sign-out').hidden = session.means === 'gateway';
}

/**
 * Sign-in by OpenID Connect: authorization code with PKCE (RFC 7636). Tokens stay in this module's
 * memory. The values in the browser's storage during the redirect are valid for one answer only.
 */
const SLOT = 'rush:console:sign-in';
const CALL_MS = 10_000;
const DENIED = 'The provider did not sign you in';

/** The provider refused the grant permanently; other failures are temporary. */
const REFUSED = [400, 401, 403];

let settings;
let refreshToken;

/** The provider that the service names, or null. A failed read is not cached. */
export async function provider() {
  settings ??= await fetch('console/sign-in.json')
    .then(response => response.ok ? response.json() : null).catch(() => null);
  return settings?.authorizationEndpoint ? settings : null;
}

/** Redirects to the provider, which redirects back to the same page. */
export async function redirect(say) {
  if (!crypto.subtle) {
    say('Sign-in requires https or localhost: the browser does not allow PKCE here.');
    return;
  }
  const { authorizationEndpoint, clientId, scope } = await provider();
  const sent = { verifier: random(), state: random(), route: location.hash };
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(sent.verifier));
  sessionStorage.setItem(SLOT, JSON.stringify(sent));
  location.assign(`${authorizationEndpoint}?${new URLSearchParams({
    response_type: 'code', client_id: clientId, redirect_uri: here(), scope, state: sent.state,
    code_challenge: base64(new Uint8Array(digest)), code_challenge_method: 'S256',
  })}`);
}

/** The provider's answer in the address: a token or a failure; null if there is none. */
export async function returned() {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state')) return null;
  const sent = JSON.parse(sessionStorage.getItem(SLOT) ?? '{}');
  sessionStorage.removeItem(SLOT);
  history.replaceState(null, '', here() + (sent.route ?? ''));
  if (answer.get('state') !== sent.state) {
    return { failure: 'The provider sent an unsolicited answer. Sign in again.' };
  }
  if (!answer.has('code')) {
    return { failure: `${DENIED}: ${answer.get('error_description') ?? answer.get('error')}.` };
  }
  const token = await tokens({ grant_type: 'authorization_code', code: answer.get('code'),
    redirect_uri: here(), code_verifier: sent.verifier });
  return token ? { token } : { failure: `${DENIED}. Try again.` };
}

/** Whether the provider issued a refresh token. */
export function canRefresh() {
  return Boolean(refreshToken);
}

/** The next token, or null if the provider issues none. */
export async function refreshed() {
  return refreshToken ? tokens({ grant_type: 'refresh_token', refresh_token: refreshToken }) : null;
}

/** Discards the refresh token: a renewal must not replace the next user. */
export function forget() {
  refreshToken = undefined;
}

async function tokens(body) {
  try {
    const { tokenEndpoint, clientId } = await provider();
    const response = await fetch(tokenEndpoint, {
      method: 'POST', credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer',
      body: new URLSearchParams({ ...body, client_id: clientId }),
      signal: AbortSignal.timeout(CALL_MS),
    });
    if (REFUSED.includes(response.status)) forget();
    const grant = await response.json();
    if (!response.ok || !grant.access_token) return null;
    refreshToken = grant.refresh_token ?? refreshToken;
    return grant.access_token;
  } catch {
    return null;
  }
}

/** The console's address, which is registered with the provider as redirect URI. */
function here() {
  return location.origin + location.pathname;
}

function random() {
  return base64(crypto.getRandomValues(new Uint8Array(32)));
}

function base64(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_')
    .replaceAll('=', '');
}

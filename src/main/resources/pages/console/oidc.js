/**
 * Signing in by OpenID Connect: authorization code with PKCE (RFC 7636). Tokens stay in this
 * module's memory. What the browser keeps while it is at the provider is good for one answer only.
 */
const SLOT = 'rush:console:sign-in';
const CALL_MS = 10_000;
const DENIED = 'The provider did not sign you in';

/** The provider refused it for good; other failures pass. */
const REFUSED = [400, 401, 403];

let settings;
let refreshToken;

/** The provider that the service names, or null. A failure to read is no answer to keep. */
export async function provider() {
  settings ??= await fetch('console/sign-in.json')
    .then(response => response.ok ? response.json() : null).catch(() => null);
  return settings?.authorizationEndpoint ? settings : null;
}

/** Goes to the provider. The page comes back to where it is. */
export async function redirect(say) {
  if (!crypto.subtle) {
    say('Signing in needs https, or localhost: the browser allows no PKCE here.');
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

/** What the provider's answer in the address brought: a token, a failure, or null without one. */
export async function returned() {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state')) return null;
  const sent = JSON.parse(sessionStorage.getItem(SLOT) ?? '{}');
  sessionStorage.removeItem(SLOT);
  history.replaceState(null, '', here() + (sent.route ?? ''));
  if (answer.get('state') !== sent.state) {
    return { failure: 'That answer of the provider was not asked for. Sign in again.' };
  }
  if (!answer.has('code')) {
    return { failure: `${DENIED}: ${answer.get('error_description') ?? answer.get('error')}.` };
  }
  const token = await tokens({ grant_type: 'authorization_code', code: answer.get('code'),
    redirect_uri: here(), code_verifier: sent.verifier });
  return token ? { token } : { failure: `${DENIED}. Try again.` };
}

/** Whether the provider gave what it takes to get the next token. */
export function canRefresh() {
  return Boolean(refreshToken);
}

/** The next token, if the provider gives one; else null. */
export async function refreshed() {
  return refreshToken ? tokens({ grant_type: 'refresh_token', refresh_token: refreshToken }) : null;
}

/** Somebody else may sign in now, whom the last one's next token must not replace. */
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
    const told = await response.json();
    if (!response.ok || !told.access_token) return null;
    refreshToken = told.refresh_token ?? refreshToken;
    return told.access_token;
  } catch {
    return null;
  }
}

/** The console's address, which the provider has to know. */
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

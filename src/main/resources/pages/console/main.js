/** The console: signs in, and shows the page that the address names. */
import { $, left, make, write } from '../page.js';
import { blockedPage } from './blocked.js';
import { lettersPage } from './letters.js';
import { listPage } from './lists.js';
import { showLink } from './live.js';
import { offerPage } from './offer.js';
import { RAIN, SALE } from './offers.js';
import { ordersPage } from './orders.js';
import { attempt, heading, link } from './parts.js';
import { rainForm } from './rain-form.js';
import { saleForm } from './sale-form.js';
import { expire, is, service, session, showUser, signIn, signOut } from './session.js';

/** A token is said to end this long before. */
const WARN_MS = 5 * 60_000;
const READS = ['operator', 'auditor'];
const CHANGES = ['operator'];

/** Pages by their addresses, for whom they are, and under which entry of the menu they stand. */
const ROUTES = [
  [/^sales$/, READS, 'sales', (main, found, signal) => listPage(main, SALE, signal)],
  [/^rains$/, READS, 'rains', (main, found, signal) => listPage(main, RAIN, signal)],
  [/^sales\/([\w.-]+)(?:\/(books|orders|returns))?$/, READS, 'sales',
    (main, [id, tab], signal) => offerPage(main, SALE, id, tab, signal)],
  [/^rains\/([\w.-]+)(?:\/(books|leaders))?$/, READS, 'rains',
    (main, [id, tab], signal) => offerPage(main, RAIN, id, tab, signal)],
  [/^new\/sale$/, CHANGES, 'sales', (main, found, signal) => define(main, SALE, saleForm, signal)],
  [/^new\/rain$/, CHANGES, 'rains', (main, found, signal) => define(main, RAIN, rainForm, signal)],
  [/^dead-letters$/, READS, 'dead-letters', (main, found, signal) => lettersPage(main, signal)],
  [/^blocklist$/, READS, 'blocklist', (main, found, signal) => blockedPage(main, signal)],
  [/^orders$/, ['payer', 'operator'], 'orders', (main, found, signal) => ordersPage(main, signal)],
];

let shown = new AbortController();

/** Shows the page of the address. What the last one had under way ends. */
function route() {
  shown.abort();
  shown = new AbortController();
  const main = $('main');
  const address = location.hash.replace(/^#\//, '').split('?')[0];
  showMenu();
  showLink('still');
  main.replaceChildren();
  if (!session.roles.length) {
    refuse(main);
    return;
  }
  const found = ROUTES.find(([pattern, roles]) => pattern.test(address) && is(...roles));
  if (!found) {
    location.replace(is(...READS) ? '#/sales' : '#/orders');
    return;
  }
  const [pattern, , entry, show] = found;
  document.querySelector(`#menu [data-entry=${entry}]`)?.setAttribute('aria-current', 'page');
  show(main, pattern.exec(address).slice(1), shown.signal);
  main.querySelector('h1')?.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

/** The form of a new sale or rain; `?copy=` names the one that it begins with. */
function define(main, kind, show, signal) {
  const copied = /\?copy=([\w.-]+)$/.exec(location.hash)?.[1];
  if (!copied) {
    show(main);
    return;
  }
  attempt(main, async () => {
    const view = await service.call(`${kind.plural}/${copied}`, { signal });
    show(main, view);
    return [...main.childNodes];
  });
}

function showMenu() {
  const entries = [['sales', 'Sales', READS], ['rains', 'Rains', READS],
    ['orders', 'Orders', ['payer']], ['dead-letters', 'Dead letters', READS],
    ['blocklist', 'Blocklist', READS]];
  $('menu').replaceChildren(...entries.filter(([, , roles]) => is(...roles)
    && !(roles[0] === 'payer' && is(...CHANGES))).map(([entry, text]) => {
    const anchor = link(text, entry);
    anchor.dataset.entry = entry;
    return anchor;
  }));
}

function refuse(main) {
  main.replaceChildren(heading('This console is not for you'),
    make('p', {}, session.user ? `You are signed in as ${session.user}, but without a role of the `
      + 'console.' : 'Your gateway lets you call, but not as an operator.'),
    make('p', {}, 'It is for the roles operator, auditor and payer. A token has them in its claim '
      + '“groups”. Buyers need none: what they may do, the shop’s own pages do.'));
}

function watchToken() {
  const rest = session.ends - service.now();
  $('ending').hidden = rest > WARN_MS;
  if (rest <= 0) expire('Your token has expired. Paste a new one to go on.');
  else if (rest <= WARN_MS) write($('ending-in'), left(rest));
}

$('skip').addEventListener('click', event => {
  event.preventDefault(); // The address names the page.
  $('main').focus();
});
$('sign-out').addEventListener('click', signOut);
$('renew').addEventListener('click', () => expire('Paste a new token.'));
window.addEventListener('hashchange', route);
window.addEventListener('rush:session', () => {
  showUser();
  route();
});
await signIn();
setInterval(watchToken, 1000);

/** The console: signs in, and shows the page of the address. */
import { $, left, make, write } from '../page.js';
import { auditPage } from './audit.js';
import { blockedPage } from './blocked.js';
import { eventsPage } from './events.js';
import { healthPage } from './health.js';
import { lettersPage } from './letters.js';
import { listPage } from './lists.js';
import { showLink } from './live.js';
import { offerPage } from './offer.js';
import { RAIN, SALE } from './offers.js';
import { orderPage } from './order.js';
import { ordersPage } from './orders.js';
import { attempt, heading, link } from './parts.js';
import { rainForm } from './rain-form.js';
import { saleForm } from './sale-form.js';
import { end, expire, is, service, session, showUser, signIn, signOut } from './session.js';
import { webhookPage, webhooksPage } from './webhooks.js';

/** A warning appears this long before a token expires. */
const WARN_MS = 5 * 60_000;
const READS = ['operator', 'auditor'];
const CHANGES = ['operator'];

/** The pages: their address, the roles that may see them, their entry in the menu. */
const ROUTES = [
  [/^sales$/, READS, 'sales', (main, found, signal) => listPage(main, SALE, signal)],
  [/^rains$/, READS, 'rains', (main, found, signal) => listPage(main, RAIN, signal)],
  [/^sales\/([\w.-]+)(?:\/(orders|returns|holds|books))?$/, READS, 'sales',
    (main, [id, tab], signal) => offerPage(main, SALE, id, tab, signal)],
  [/^sales\/([\w.-]+)\/orders\/([\da-fA-F-]{36})$/, [...READS, 'payer'], 'sales',
    (main, [sale, order], signal) => orderPage(main, sale, order, signal)],
  [/^rains\/([\w.-]+)(?:\/(books|leaders))?$/, READS, 'rains',
    (main, [id, tab], signal) => offerPage(main, RAIN, id, tab, signal)],
  [/^new\/sale$/, CHANGES, 'sales', (main, found, signal) => define(main, SALE, saleForm, signal)],
  [/^new\/rain$/, CHANGES, 'rains', (main, found, signal) => define(main, RAIN, rainForm, signal)],
  [/^dead-letters$/, READS, 'dead-letters', (main, found, signal) => lettersPage(main, signal)],
  [/^blocklist$/, READS, 'blocklist', (main, found, signal) => blockedPage(main, signal)],
  [/^orders$/, ['payer', 'operator'], 'orders', main => ordersPage(main)],
  [/^events$/, READS, 'events', (main, found, signal) => eventsPage(main, signal)],
  [/^webhooks$/, READS, 'webhooks', (main, found, signal) => webhooksPage(main, signal)],
  [/^webhooks\/([\w.-]+)$/, READS, 'webhooks',
    (main, [id], signal) => webhookPage(main, id, signal)],
  [/^health$/, READS, 'health', (main, found, signal) => healthPage(main, signal)],
  [/^audit$/, READS, 'audit', (main, found, signal) => auditPage(main, signal)],
];

let shown = new AbortController();

/** Shows the page of the address. Aborts the previous page's calls and closes its dialogs. */
function route() {
  shown.abort();
  for (const question of document.querySelectorAll('dialog.ask')) question.close();
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
  (document.querySelector(`#menu [data-entry=${entry}]`)
    ?? document.querySelector('#menu [data-entry=orders]'))?.setAttribute('aria-current', 'page');
  show(main, pattern.exec(address).slice(1), shown.signal);
  main.querySelector('h1')?.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

/** The form of a new sale or rain; `?copy=` names the original. */
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
    ['orders', 'Orders', ['payer']], ['health', 'Health', READS], ['events', 'Events', READS],
    ['webhooks', 'Webhooks', READS], ['dead-letters', 'Dead letters', READS],
    ['blocklist', 'Blocklist', READS], ['audit', 'Audit', READS]];
  $('menu').replaceChildren(...entries.filter(([, , roles]) => is(...roles)
    && !(roles[0] === 'payer' && is(...CHANGES))).map(([entry, text]) => {
    const anchor = link(text, entry);
    anchor.dataset.entry = entry;
    return anchor;
  }));
}

function refuse(main) {
  main.replaceChildren(heading('You have no access to this console'),
    make('p', {}, session.user ? `You are signed in as ${session.user}, but without a console `
      + 'role.' : 'Your gateway authenticates you, but not as an operator.'),
    make('p', {}, 'Access requires the role operator, auditor or payer. A token carries roles in '
      + 'its claim “groups”. Buyers need no role: they use the shop’s own pages.'));
}

function watchToken() {
  const rest = session.ends - service.now();
  $('ending').hidden = rest > WARN_MS || rest <= 0;
  if (rest <= 0) end();
  else if (rest <= WARN_MS) write($('ending-in'), left(rest));
}

$('skip').addEventListener('click', event => {
  event.preventDefault(); // The address names the page.
  $('main').focus();
});
$('sign-out').addEventListener('click', signOut);
$('renew').addEventListener('click', () => expire('Sign in again.'));
window.addEventListener('hashchange', route);
window.addEventListener('rush:session', () => {
  showUser();
  route();
});
await signIn('');
setInterval(watchToken, 1000);

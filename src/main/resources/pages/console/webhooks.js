/** Webhooks and their waiting and failed deliveries. */
import { make } from '../page.js';
import { ID } from './limits.js';
import { ask, attempt, button, card, choice, field, heading, input, link, notice, pairs, table }
  from './parts.js';
import { call, is, send } from './session.js';
import { badge, many, moment, stamp } from './words.js';

const LIMIT = 200;
const TYPES_MAX = 20;
const SECRET = 'whsec_[A-Za-z0-9+\\/]{32,88}={0,2}';
const SECRET_BYTES = 32;
const STATES = { '': 'waiting or failed', waiting: 'waiting', failed: 'failed' };

export function webhooksPage(main, signal) {
  const found = make('div');
  const read = () => attempt(found, async () => {
    const { webhooks } = await call('webhooks', { signal });
    if (!webhooks.length) return [notice('No webhooks.')];
    const { frame } = table('Webhooks', ['Webhook', 'Address', 'Types', 'Created'],
      webhooks.map(one => card(link(one.webhook, `webhooks/${one.webhook}`), {
        Address: make('code', {}, one.url), Types: typesOf(one), Created: stamp(one.createdAt),
      })));
    frame.classList.add('cards');
    return frame;
  });
  main.replaceChildren(heading('Webhooks', ...is('operator')
    ? [button('New webhook', () => change({ types: ['dev.rush.order.*'] }, true),
      { kind: 'primary' })] : []),
  make('p', {}, 'Each webhook receives the events of its types: signed, in order, and retried for '
    + 'three days.'), found);
  read();
}

export function webhookPage(main, id, signal) {
  const about = make('div');
  const found = make('div');
  const path = `webhooks/${encodeURIComponent(id)}`;
  const state = choice('state', STATES, '');
  state.id = 'delivery-state';
  const read = () => attempt(found, async () => {
    const query = new URLSearchParams({ ...state.value && { state: state.value }, limit: LIMIT });
    return list((await call(`${path}/deliveries?${query}`, { signal })).deliveries,
      delivery => redeliver(path, delivery, read));
  });
  const show = () => attempt(about, async () => {
    const webhook = await call(path, { signal });
    return [pairs([['Address', make('code', {}, webhook.url)], ['Types', typesOf(webhook)],
      ['Created', moment(webhook.createdAt)], ...webhook.oldSecretUntil
        ? [['Signed with both secrets until', moment(webhook.oldSecretUntil)]] : []]),
    ...is('operator') ? [make('p', { className: 'actions' },
      button('Change', () => change(webhook, false, show)),
      button('Remove', () => remove(path, webhook), { kind: 'danger-start' }))] : []];
  });
  state.addEventListener('change', read);
  main.replaceChildren(link('All webhooks', 'webhooks', 'back'), heading(id), about,
    make('h2', {}, 'Deliveries'),
    make('div', { className: 'line' }, make('p', { className: 'field' },
      make('label', { htmlFor: state.id }, 'State'), state), button('Refresh', read)),
    found);
  show();
  read();
}

function typesOf({ types }) {
  return make('span', { className: 'facts' }, ...types.map(type => make('code', {}, type)));
}

function list(deliveries, start) {
  if (!deliveries.length) return [notice('No deliveries in this state.', 'done')];
  const may = is('operator');
  const { frame } = table('Deliveries',
    ['Event', 'State', 'Response', 'Attempts', 'Last attempt', 'Next',
      ...may ? ['Actions'] : []],
    deliveries.map(delivery => card(make('span', {}, delivery.type.replace('dev.rush.', ''),
      make('code', { className: 'hint' }, delivery.subject)), {
      State: badge(delivery.state), Response: responseOf(delivery),
      Attempts: String(delivery.tries),
      'Last attempt': delivery.triedAt ? stamp(delivery.triedAt) : '–',
      Next: delivery.nextAt ? stamp(delivery.nextAt) : '–',
    }, ...may ? [make('td', {}, button('Redeliver', () => start(delivery),
      { label: `Redeliver ${delivery.event}` }))] : [])));
  frame.classList.add('cards');
  return [make('p', { className: 'hint' }, deliveries.length === LIMIT ? `The newest ${LIMIT}.`
    : `${many(deliveries.length, 'delivery', 'deliveries')}, newest first.`), frame];
}

function responseOf({ status, answer, tries }) {
  if (!tries) return 'waits for an earlier delivery of its subject';
  return [status, answer].filter(Boolean).join(' ') || '–';
}

function redeliver(path, { delivery, event, state, subject }, again) {
  ask({
    title: 'Redeliver this event?',
    lines: [`${event} is sent immediately.`, ...state === 'failed' ? ['If that fails, it is '
      + `retried for three days, before later events of ${subject}.`] : [],
    'The id stays the same, so the receiver can recognize a duplicate.'],
    verb: 'Redeliver',
    perform: async () => {
      await send('POST', `${path}/deliveries/${delivery}/redeliver`);
      again();
      return 'The event is being redelivered.';
    },
  });
}

/** Creates a webhook, or changes its address, types or secret. */
function change(webhook, isNew, again) {
  const secret = input('secret', { pattern: SECRET, required: isNew });
  const generate = button('Generate', () => {
    const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
    secret.value = `whsec_${btoa(String.fromCharCode(...bytes))}`;
    secret.dispatchEvent(new Event('input', { bubbles: true }));
  });
  const secretField = field('Secret', secret, isNew
    ? 'The receiver verifies signatures with it. It is never shown again.'
    : 'If empty, it does not change. After a change, both secrets sign for a day.');
  secret.after(generate);
  const types = make('textarea', { name: 'types', rows: 3, required: true, spellcheck: false,
    value: webhook.types.join('\n') });
  ask({
    title: isNew ? 'New webhook' : `Change ${webhook.webhook}?`,
    fields: [...isNew ? [field('Id', input('id', { required: true, pattern: ID }))] : [],
      field('Address', input('url', { type: 'url', required: true, value: webhook.url ?? '' }),
        'https, unless the service allows http.'),
      field('Event types', types, `1 to ${TYPES_MAX}, one per line, such as dev.rush.order.* or `
        + 'dev.rush.sale.sold-out.'), secretField],
    lines: form => [isNew ? 'It receives events from now on.'
      : 'Waiting deliveries go to the new address.',
    ...form.get('secret') ? ['Copy the secret before you continue: it is not shown again.'] : []],
    verb: isNew ? 'Create the webhook' : 'Change the webhook',
    perform: async form => {
      const id = webhook.webhook ?? form.get('id');
      await send('PUT', `webhooks/${encodeURIComponent(id)}`, { url: form.get('url'),
        types: form.get('types').split(/\s+/).filter(Boolean),
        secret: form.get('secret') || undefined });
      if (again) again();
      else location.hash = `#/webhooks/${encodeURIComponent(id)}`;
      return `${id} is ${isNew ? 'created' : 'changed'}.`;
    },
  });
}

function remove(path, { webhook }) {
  ask({
    title: `Remove ${webhook}?`,
    danger: true,
    lines: ['It receives no more events, and its waiting deliveries are dropped.',
      'A new webhook with the same id receives only later events.'],
    verb: 'Remove the webhook',
    perform: async () => {
      await send('DELETE', path);
      location.hash = '#/webhooks';
      return `${webhook} is removed.`;
    },
  });
}

/** Webhooks: who is told of events over HTTP, and what did not reach them. */
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
    if (!webhooks.length) return [notice('There is none.')];
    const { frame } = table('Webhooks', ['Webhook', 'Address', 'Types', 'Since'],
      webhooks.map(one => card(link(one.webhook, `webhooks/${one.webhook}`), {
        Address: make('code', {}, one.url), Types: typesOf(one), Since: stamp(one.createdAt),
      })));
    frame.classList.add('cards');
    return frame;
  });
  main.replaceChildren(heading('Webhooks', ...is('operator')
    ? [button('New webhook', () => change({ types: ['dev.rush.order.*'] }, true),
      { kind: 'primary' })] : []),
  make('p', {}, 'Each is told of the events of its types, signed, in order, and again for three '
    + 'days until it answers.'), found);
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
      ['Since', moment(webhook.createdAt)], ...webhook.oldSecretUntil
        ? [['Signed with both secrets until', moment(webhook.oldSecretUntil)]] : []]),
    ...is('operator') ? [make('p', { className: 'actions' },
      button('Change', () => change(webhook, false, show)),
      button('Remove', () => remove(path, webhook), { kind: 'danger-start' }))] : []];
  });
  state.addEventListener('change', read);
  main.replaceChildren(link('All webhooks', 'webhooks', 'back'), heading(id), about,
    make('h2', {}, 'Deliveries'),
    make('div', { className: 'line' }, make('p', { className: 'field' },
      make('label', { htmlFor: state.id }, 'Those that are'), state), button('Read again', read)),
    found);
  show();
  read();
}

function typesOf({ types }) {
  return make('span', { className: 'facts' }, ...types.map(type => make('code', {}, type)));
}

function list(deliveries, start) {
  if (!deliveries.length) return [notice('There is none: it has taken what it was told.', 'done')];
  const may = is('operator');
  const { frame } = table('Deliveries',
    ['Event', 'State', 'Answer', 'Tries', 'Tried', 'Next', ...may ? ['Change'] : []],
    deliveries.map(delivery => card(make('span', {}, delivery.type.replace('dev.rush.', ''),
      make('code', { className: 'hint' }, delivery.subject)), {
      State: badge(delivery.state), Answer: answerOf(delivery), Tries: String(delivery.tries),
      Tried: delivery.triedAt ? stamp(delivery.triedAt) : '–',
      Next: delivery.nextAt ? stamp(delivery.nextAt) : '–',
    }, ...may ? [make('td', {}, button('Redeliver', () => start(delivery),
      { label: `Redeliver ${delivery.event}` }))] : [])));
  frame.classList.add('cards');
  return [make('p', { className: 'hint' }, deliveries.length === LIMIT ? `The newest ${LIMIT}.`
    : `${many(deliveries.length, 'delivery', 'deliveries')}, the newest first.`), frame];
}

function answerOf({ status, answer, tries }) {
  if (!tries) return 'waits behind an earlier one of its subject';
  return [status, answer].filter(Boolean).join(' ') || '–';
}

function redeliver(path, { delivery, event, state, subject }, again) {
  ask({
    title: 'Deliver this event again?',
    lines: [`${event} is sent at once.`, ...state === 'failed' ? ['It begins anew: three days of '
      + `tries, before later events of ${subject}.`] : [],
    'A receiver that has it already knows it by the same id.'],
    verb: 'Deliver it',
    perform: async () => {
      await send('POST', `${path}/deliveries/${delivery}/redeliver`);
      again();
      return 'The delivery is on its way.';
    },
  });
}

/** A new webhook, or another address, types or secret of one. */
function change(webhook, isNew, again) {
  const secret = input('secret', { pattern: SECRET, required: isNew });
  const made = button('Make one', () => {
    const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
    secret.value = `whsec_${btoa(String.fromCharCode(...bytes))}`;
    secret.dispatchEvent(new Event('input', { bubbles: true }));
  });
  const secretField = field('Secret', secret, isNew
    ? 'Give it to the receiver, which checks signatures by it. It is never shown again.'
    : 'Empty: stays. With another one, both sign for a day.');
  secret.after(made);
  const types = make('textarea', { name: 'types', rows: 3, required: true, spellcheck: false,
    value: webhook.types.join('\n') });
  ask({
    title: isNew ? 'New webhook' : `Change ${webhook.webhook}?`,
    fields: [...isNew ? [field('Id', input('id', { required: true, pattern: ID }))] : [],
      field('Address', input('url', { type: 'url', required: true, value: webhook.url ?? '' }),
        'https, unless the service allows more.'),
      field('Types of events', types, `1 to ${TYPES_MAX}, one a line, such as dev.rush.order.* or `
        + 'dev.rush.sale.sold-out.'), secretField],
    lines: form => [isNew ? 'It is told of what happens from now on.'
      : 'What waits for it goes to the new address.',
    ...form.get('secret') ? ['Keep the secret before you go on: it is not shown again.'] : []],
    verb: isNew ? 'Make the webhook' : 'Change the webhook',
    perform: async form => {
      const id = webhook.webhook ?? form.get('id');
      await send('PUT', `webhooks/${encodeURIComponent(id)}`, { url: form.get('url'),
        types: form.get('types').split(/\s+/).filter(Boolean),
        secret: form.get('secret') || undefined });
      if (again) again();
      else location.hash = `#/webhooks/${encodeURIComponent(id)}`;
      return `${id} is ${isNew ? 'made' : 'changed'}.`;
    },
  });
}

function remove(path, { webhook }) {
  ask({
    title: `Remove ${webhook}?`,
    danger: true,
    lines: ['It is told of nothing more, and what waits for it is dropped.',
      'A new one of the same id begins with what happens then.'],
    verb: 'Remove the webhook',
    perform: async () => {
      await send('DELETE', path);
      location.hash = '#/webhooks';
      return `${webhook} is removed.`;
    },
  });
}

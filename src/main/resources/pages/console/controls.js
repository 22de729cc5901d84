/** Actions on a sale or rain. Each asks for confirmation and shows its effect. */
import { count } from '../page.js';
import { RushProblem } from '../rush.js';
import { instant, time } from './definition.js';
import { isLost } from './live.js';
import { LIMITS } from './limits.js';
import { remains } from './offers.js';
import { ask, button, field, input, link } from './parts.js';
import { is, send } from './session.js';
import { clock, many } from './words.js';

/** The controls that the current state allows. */
export function controls(page) {
  const { kind, id, view } = page;
  if (!is('operator')) return [];
  const copy = link('Copy', `new/${kind.word}?copy=${encodeURIComponent(id)}`, 'button');
  if (view.state === 'closed') return [copy];
  const needsLive = true;
  const turn = view.state === 'paused'
    ? button('Resume', () => resume(page), { kind: 'primary', needsLive })
    : button('Pause', () => pause(page), { needsLive });
  const end = button('Close permanently', () => close(page), { kind: 'danger-start', needsLive });
  const times = kind.word === 'sale'
    ? [button('Title and times', () => reschedule(page), { needsLive })] : [];
  for (const one of [turn, ...times, end]) one.disabled = isLost();
  return [turn, ...times, copy, end];
}

function control({ path }, word) {
  return send('POST', `${path}/${word}`);
}

function pause(page) {
  const { kind } = page;
  const noun = kind.word === 'sale' ? 'purchase' : 'grab';
  ask({
    title: `Pause ${page.name}?`,
    lines: [
      `All pods refuse every ${noun} as “paused”, until you resume the ${kind.word}.`,
      `${remains(kind, page.view)} ${kind.unit}s remain.`,
      kind.word === 'sale' ? 'Accepted orders can still be paid and returned.'
        : 'Users keep the envelopes that they have grabbed.',
      ...kind.ends(page.view) ? ['A pause does not postpone the end.'] : [],
    ],
    verb: `Pause this ${kind.word}`,
    perform: async () => { await control(page, 'pause'); return `${page.name} is paused.`; },
  });
}

function resume(page) {
  const { kind } = page;
  ask({
    title: `Resume ${page.name}?`,
    lines: [
      kind.word === 'sale' ? 'Buyers can buy again immediately.'
        : 'Users can grab envelopes again immediately.',
      `${remains(kind, page.view)} ${kind.unit}s remain.`,
    ],
    verb: `Resume this ${kind.word}`,
    perform: async () => { await control(page, 'resume'); return `${page.name} is resumed.`; },
  });
}

function close(page) {
  const { kind, view } = page;
  ask({
    title: `Close ${page.name} permanently?`,
    danger: true,
    lines: [
      'It ends immediately, on all pods, and cannot be reopened. A pause can be undone.',
      kind.word === 'sale'
        ? `${count(kind.left(view))} of ${many(kind.total(view), 'unit')} will remain unsold.`
        : `${many(kind.left(view), 'envelope')} with ${count(view.left.amount)} minor units will `
          + 'be taken back.',
      kind.word === 'sale' ? 'Accepted orders can still be paid and returned.'
        : 'Users keep the envelopes that they have grabbed.',
    ],
    verb: 'Close permanently',
    perform: async () => { await control(page, 'close'); return `${page.name} is closed.`; },
  });
}

/** Changes the title and times of a sale. Only fields that differ are sent. */
function reschedule(page) {
  const { view } = page;
  const title = input('title', { value: view.title, required: true,
    maxLength: LIMITS.SaleDefinition.title.maxLength });
  const fields = [field('Title', title),
    time('Opens', 'opensAt', 'If empty, it opens immediately.', view.opensAt),
    time('Ends', 'closesAt', 'If empty, it runs until it is closed.', view.closesAt)];
  const before = Object.fromEntries(fields.map(one => one.querySelector('input'))
    .map(({ name, value }) => [name, value]));
  const change = form => ({
    ...form.get('title') !== before.title ? { title: form.get('title') } : {},
    ...Object.fromEntries(['opensAt', 'closesAt'].filter(name => form.get(name) !== before[name])
      .map(name => [name, instant(form, name) ?? null])),
  });
  ask({
    title: `Change the title and times of ${page.name}?`,
    fields,
    lines: form => effects(change(form), view),
    verb: 'Change title and times',
    perform: async form => {
      const answer = await send('PATCH', page.path, change(form));
      return `The title and times of ${answer.title} are changed.`;
    },
  });
}

function effects({ title, opensAt, closesAt }, view) {
  const lines = [];
  if (title !== undefined) lines.push(`Buyers see “${title}” instead of “${view.title}”.`);
  if (opensAt !== undefined) {
    lines.push(opensAt && Date.parse(opensAt) > Date.now()
      ? `Nobody can buy before ${when(opensAt)}.`
      : 'Buyers can buy immediately, unless it is paused.');
  }
  if (closesAt !== undefined) {
    lines.push(closesAt ? `It ends at ${when(closesAt)} and cannot be reopened after that.`
      : 'It runs until it is closed.');
  }
  return lines.length ? [...lines, 'Accepted orders are not affected.']
    : ['Nothing changes.'];
}

function when(at) {
  return `${new Date(at).toLocaleDateString()}, ${clock(at)}`;
}

/** Raises or lowers the total of an item. */
export function changeTotal(page, sku) {
  const read = () => page.view.items.find(one => one.sku === sku);
  let item = read();
  const ordered = item.total - item.left;
  const { maximum } = LIMITS.SaleDefinitionItem.total;
  const total = input('total', { type: 'number', required: true, min: ordered, max: maximum,
    value: item.total });
  ask({
    title: `Change the total of ${item.title}?`,
    fields: [field('New total', total,
      `From ${count(ordered)}, the units already ordered, to ${count(maximum)}.`)],
    lines: form => {
      const wanted = Number(form.get('total'));
      if (wanted === item.total) return ['Nothing changes.'];
      return [`The total changes from ${count(item.total)} to ${count(wanted)}.`,
        `${count(wanted - ordered)} will be left instead of ${count(item.left)}, minus new orders.`,
        ...wanted - ordered > 0 && !item.left ? ['The item goes back on sale.'] : [],
        ...wanted === ordered ? ['The item is then sold out.'] : []];
    },
    verb: 'Change the total',
    perform: async form => {
      const before = item.total;
      item = read();
      if (item.total !== before) {
        throw new RushProblem(409, { detail: `Somebody else has just changed the total from `
          + `${count(before)} to ${count(item.total)}. Check the new figures first.` });
      }
      const answer = await send('PATCH', `${page.path}/items/${encodeURIComponent(sku)}`,
        { total: Number(form.get('total')) });
      const { left, total: now } = answer.items.find(one => one.sku === sku);
      return `The total of ${item.title} is ${count(now)}; ${count(left)} are left.`;
    },
  });
}

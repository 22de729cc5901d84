/** What an operator can do to a sale or rain. Each asks once more and says what it will do. */
import { count } from '../page.js';
import { RushProblem } from '../rush.js';
import { instant, time } from './definition.js';
import { isLost } from './live.js';
import { LIMITS } from './limits.js';
import { remains } from './offers.js';
import { ask, button, field, input, link } from './parts.js';
import { is, send } from './session.js';
import { clock, many } from './words.js';

/** The controls that fit the present state. */
export function controls(page) {
  const { kind, id, view } = page;
  if (!is('operator')) return [];
  const copy = link('Copy', `new/${kind.word}?copy=${encodeURIComponent(id)}`, 'button');
  if (view.state === 'closed') return [copy];
  const needsLive = true;
  const turn = view.state === 'paused'
    ? button('Resume', () => resume(page), { kind: 'primary', needsLive })
    : button('Pause', () => pause(page), { needsLive });
  const end = button('Close for good', () => close(page), { kind: 'danger-start', needsLive });
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
      `Every ${noun} is refused as “paused” on all pods at once, until you resume it.`,
      `What is left stays: ${remains(kind, page.view)} ${kind.unit}s.`,
      kind.word === 'sale' ? 'Orders that were accepted go on: they can be paid and returned.'
        : 'Envelopes that were grabbed stay with those who have them.',
      ...kind.ends(page.view) ? ['The end is not put off by a pause.'] : [],
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
      kind.word === 'sale' ? 'Buyers can buy again at once.' : 'Envelopes can be grabbed at once.',
      `There are ${remains(kind, page.view)} ${kind.unit}s left.`,
    ],
    verb: `Resume this ${kind.word}`,
    perform: async () => { await control(page, 'resume'); return `${page.name} goes on.`; },
  });
}

function close(page) {
  const { kind, view } = page;
  ask({
    title: `Close ${page.name} for good?`,
    danger: true,
    lines: [
      'It ends now, on all pods at once. It cannot be opened again; pausing can be undone.',
      kind.word === 'sale'
        ? `${many(kind.left(view), 'unit')} of ${count(kind.total(view))} will stay unsold.`
        : `${many(kind.left(view), 'envelope')} with ${count(view.left.amount)} in them will be `
          + 'taken back.',
      kind.word === 'sale' ? 'Orders that were accepted go on: they can be paid and returned.'
        : 'Grabs that were accepted stay.',
    ],
    verb: 'Close it for good',
    perform: async () => { await control(page, 'close'); return `${page.name} is closed.`; },
  });
}

/** Changes the title and times of a sale: what the form has otherwise than before. */
function reschedule(page) {
  const { view } = page;
  const title = input('title', { value: view.title, required: true,
    maxLength: LIMITS.SaleDefinition.title.maxLength });
  const fields = [field('Title', title), time('Opens', 'opensAt', 'Empty: now', view.opensAt),
    time('Ends', 'closesAt', 'Empty: until it is closed', view.closesAt)];
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
      return `${answer.title} has its new title and times.`;
    },
  });
}

function effects({ title, opensAt, closesAt }, view) {
  const lines = [];
  if (title !== undefined) lines.push(`Buyers see “${title}” instead of “${view.title}”.`);
  if (opensAt !== undefined) {
    lines.push(opensAt && Date.parse(opensAt) > Date.now()
      ? `Nobody can buy before ${when(opensAt)}.` : 'Buyers can buy at once, unless it is paused.');
  }
  if (closesAt !== undefined) {
    lines.push(closesAt ? `It ends at ${when(closesAt)}, and cannot be opened again then.`
      : 'It goes on until it is closed.');
  }
  return lines.length ? [...lines, 'Orders that were accepted stay as they are.']
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
      `From ${count(ordered)}, which are ordered, to ${count(maximum)}.`)],
    lines: form => {
      const wanted = Number(form.get('total'));
      if (wanted === item.total) return ['Nothing changes.'];
      return [`The total goes from ${count(item.total)} to ${count(wanted)}.`,
        `Left will be ${count(wanted - ordered)} instead of ${count(item.left)}, less what is `
        + 'ordered meanwhile.',
        ...wanted - ordered > 0 && !item.left ? ['It is on sale again.'] : [],
        ...wanted === ordered ? ['It is sold out with that.'] : []];
    },
    verb: 'Change the total',
    perform: async form => {
      const before = item.total;
      item = read();
      if (item.total !== before) {
        throw new RushProblem(409, { detail: `Somebody else has just changed the total from `
          + `${count(before)} to ${count(item.total)}. Look again before you change it.` });
      }
      const answer = await send('PATCH', `${page.path}/items/${encodeURIComponent(sku)}`,
        { total: Number(form.get('total')) });
      const { left, total: now } = answer.items.find(one => one.sku === sku);
      return `The total of ${item.title} is ${count(now)}; ${count(left)} are left.`;
    },
  });
}

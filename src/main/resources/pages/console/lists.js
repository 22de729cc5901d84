/** The list of sales or rains, with live figures of each. */
import { arrange, left, make, write } from '../page.js';
import { next, remains } from './offers.js';
import { follow } from './live.js';
import { button, form, heading, input, link, notice, table } from './parts.js';
import { trackOf } from './rates.js';
import { is, service } from './session.js';
import { ID } from './limits.js';
import { badge, explain, forecast, rate, stamp } from './words.js';

const EVERY_MS = 2_000;
const PAGE = 50;

export function listPage(main, kind, signal) {
  const newest = `${kind.plural}?limit=${PAGE}`;
  const state = { path: newest, next: null, rows: new Map() };
  const { frame, body } = table(kind.heading,
    ['Title', 'State', 'Left', '#Rate', kind.gone, 'When']);
  frame.classList.add('figures', 'cards');
  const empty = make('p', { className: 'empty', hidden: true },
    `No ${kind.plural} have been prepared yet.`);
  const failure = make('div');
  const partial = notice(`PostgreSQL does not answer, so ${kind.plural} that have left Redis are `
    + 'missing here or have no figures. They appear again once it answers.');
  partial.setAttribute('role', 'status');
  const turn = path => {
    state.path = path;
    state.rows.clear();
  };
  const first = button('Newest', () => turn(newest));
  const older = button('Older', () => turn(state.next));
  const open = form(({ id }) => { location.hash = `#/${kind.plural}/${id}`; },
    make('label', { htmlFor: 'open-id' }, `Open a ${kind.word} by id`),
    input('id', { id: 'open-id', required: true, pattern: ID }), make('button', {}, 'Open'));
  main.replaceChildren(
    heading(kind.heading,
      ...(is('operator') ? [link(`New ${kind.word}`, `new/${kind.word}`, 'button primary')] : [])),
    failure, partial, frame, empty, make('p', { className: 'actions' }, first, older), open);
  first.hidden = true;
  older.hidden = true;
  partial.hidden = true;

  follow(() => state.path, {
    every: EVERY_MS, signal,
    time: page => page[kind.plural].map(view => view.asOf ?? '').sort().at(-1),
    show: page => {
      const views = page[kind.plural];
      failure.replaceChildren();
      partial.hidden = !page.partial;
      arrange(body, views.map(view => shown(kind, state, view, page.partial)));
      state.next = page.next?.replace(/^.*\/v1\//, '');
      older.hidden = !state.next;
      first.hidden = state.path === newest;
      empty.hidden = views.length > 0 || Boolean(page.partial);
      frame.hidden = !views.length;
    },
    refused: error => failure.replaceChildren(notice(explain(error), 'failure')),
  });
}

/** The row of a view, reused as long as its page is shown. */
function shown(kind, state, view, isPartial) {
  const id = view[kind.word];
  const known = state.rows.get(id) ?? makeRow(kind, view, id);
  state.rows.set(id, known);
  known.show(view, isPartial);
  return known.row;
}

function makeRow(kind, view, id) {
  const track = trackOf(`${kind.plural}/${id}`);
  const title = link('', `${kind.plural}/${encodeURIComponent(id)}`);
  const cells = Object.fromEntries(['state', 'left', 'rate', 'gone', 'next'].map(name =>
    [name, make('td', { className: name === 'rate' ? 'number' : '' })]));
  const labels = { left: 'Left', rate: 'Rate', gone: kind.gone, next: 'When' };
  for (const [name, label] of Object.entries(labels)) cells[name].dataset.label = label;
  const gauge = meter();
  const remaining = make('span');
  cells.left.append(remaining, gauge.element);
  const row = make('tr', {}, make('th', { scope: 'row' }, title,
    make('span', { className: 'hint' }, id)), ...Object.values(cells));
  row.dataset.id = id;
  return { row, show: (seen, isPartial) =>
    show(kind, seen, isPartial, { track, title, cells, gauge, remaining, id }) };
}

function show(kind, view, isPartial, { track, title, cells, gauge, remaining, id }) {
  // On a partial page, one without a state may be retired rather than lost.
  const state = view.state ?? (isPartial ? 'unknown' : 'not-loaded');
  write(title, view.title || id);
  if (cells.state.dataset.state !== state) {
    cells.state.dataset.state = state;
    cells.state.replaceChildren(badge(state));
  }
  if (!view.state) return;
  track.add(Date.parse(view.asOf), kind.left(view), kind.total(view));
  write(remaining, remains(kind, view));
  gauge.show(kind.left(view), kind.total(view));
  write(cells.rate, state === 'open' ? rate(track.rate()) : '–');
  write(cells.gone, forecast(track, state, Date.parse(kind.ends(view)), service.now()));
  const goal = next(kind, view);
  if (goal) write(cells.next, `${goal.label.toLowerCase()} ${left(goal.at - service.now())}`);
  else if (!cells.next.firstChild) cells.next.append('prepared ', stamp(view.preparedAt));
}

/** A bar of the share that is left; the numbers are beside it. */
export function meter() {
  const fill = make('span');
  const element = make('div', { className: 'meter', ariaHidden: 'true' }, fill);
  return {
    element,
    show: (some, all) => { fill.style.width = `${all ? 100 * some / all : 0}%`; },
  };
}

/** A labelled figure. */
export function figure(word, value = '') {
  const number = make('dd', {}, value);
  return { element: make('div', {}, make('dt', {}, word), number),
    show: text => write(number, text) };
}

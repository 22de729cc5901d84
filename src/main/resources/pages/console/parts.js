/** Building blocks of the pages. */
import { make, say, write } from '../page.js';
import { explain } from './words.js';

/** Makes a page's heading, which can receive the focus, and sets the document's title. */
export function heading(text, ...more) {
  document.title = `${text} – Rush console`;
  const title = make('h1', { tabIndex: -1 }, text);
  return make('header', { className: 'head' }, title, ...more);
}

/** A button. With `needsLive` it is disabled while figures are stale. */
export function button(text, act, { kind = '', label = null, needsLive = false } = {}) {
  const element = make('button', { type: 'button', className: kind }, text);
  if (label) element.ariaLabel = label;
  if (needsLive) element.dataset.needsLive = '';
  element.addEventListener('click', act);
  return element;
}

export function link(text, route, className = '') {
  return make('a', { href: `#/${route}`, className }, text);
}

/** A table in a frame that scrolls sideways if the page is narrow. */
export function table(caption, columns, rows = []) {
  const body = make('tbody', {}, ...rows);
  const head = make('tr', {}, ...columns.map(column =>
    make('th', { scope: 'col', className: column.startsWith('#') ? 'number' : '' },
      column.replace('#', ''))));
  const frame = make('div', { className: 'frame', tabIndex: 0, ariaLabel: caption },
    make('table', { ariaLabel: caption }, make('thead', {}, head), body));
  frame.setAttribute('role', 'region');
  return { frame, body };
}

/** A row; its first cell is its heading. Numbers are right-aligned. */
export function row(first, ...cells) {
  return make('tr', {}, make('th', { scope: 'row' }, first), ...cells.map(cell =>
    make('td', { className: isNumber(cell) ? 'number' : '' }, cell)));
}

function isNumber(cell) {
  return typeof cell === 'string' ? /^[-–\d]/.test(cell) : cell.classList.contains('count');
}

/** A row that becomes a card on a phone: each cell has its column's name. */
export function card(first, cells, ...more) {
  return make('tr', {}, make('th', { scope: 'row' }, first),
    ...Object.entries(cells).map(([label, value]) => {
      const cell = make('td', {}, value);
      cell.dataset.label = label;
      return cell;
    }), ...more);
}

/** A link whose text is an order's id. */
export function codeLink(text, route) {
  const anchor = link('', route);
  anchor.append(make('code', {}, text));
  return anchor;
}

/** Terms and their values. */
export function pairs(entries, className = 'pairs') {
  return make('dl', { className }, ...entries.map(([word, value]) =>
    make('div', {}, make('dt', {}, word), make('dd', {}, value))));
}

/** A field of a form with its label and, below it, a hint. */
export function field(label, input, hint = '') {
  input.id ||= `field-${input.name.replaceAll(/\W/g, '-')}`;
  const children = [make('label', { htmlFor: input.id }, label), input];
  if (hint) {
    const note = make('span', { className: 'hint', id: `${input.id}-hint` }, hint);
    input.setAttribute('aria-describedby', note.id);
    children.push(note);
  }
  return make('p', { className: 'field' }, ...children);
}

export function input(name, properties = {}) {
  const { list, ...rest } = properties;
  return Object.assign(make('input', { name, autocomplete: 'off', spellcheck: false }), rest);
}

/** A select whose options are values and their texts. */
export function choice(name, options, chosen) {
  const select = make('select', { name }, ...Object.entries(options).map(([value, text]) =>
    make('option', { value, selected: value === chosen }, text)));
  return select;
}

/** A highlighted sentence; screen readers announce a failure immediately. */
export function notice(text, kind = 'notice') {
  const element = make('p', { className: `notice ${kind}` }, text);
  if (kind === 'failure') element.setAttribute('role', 'alert');
  return element;
}

/** Runs `work`, and shows in `place` that it is running, its result or why it failed. */
export async function attempt(place, work) {
  place.replaceChildren(make('p', { className: 'hint reading' }, 'Loading…'));
  try {
    place.replaceChildren(...[].concat(await work()));
  } catch (error) {
    if (error.name === 'AbortError') return;
    place.replaceChildren(notice(explain(error), 'failure'));
  }
}

/** A form that calls `act` instead of being sent. */
export function form(act, ...children) {
  const element = make('form', { className: 'line' }, ...children);
  element.addEventListener('submit', event => {
    event.preventDefault();
    act(Object.fromEntries(new FormData(element)), element);
  });
  return element;
}

/**
 * Asks for confirmation of a change, and shows its effect.
 *
 * @param lines   sentences, or a function that returns them for the form's data
 * @param fields  more fields of the form
 * @param perform makes the change; an error is shown, and the dialog stays open
 */
export function ask({ title, lines, fields = [], verb, danger = false, perform }) {
  const effect = make('ul', { className: 'effect' });
  const failure = make('p', { className: 'failure' });
  failure.setAttribute('role', 'alert');
  const go = make('button', { type: 'submit', className: danger ? 'danger' : 'primary' }, verb);
  const stay = button('Cancel', () => dialog.close());
  const body = make('form', { className: 'question' },
    make('h2', { id: 'question-title' }, title), ...fields, effect, failure,
    make('p', { className: 'actions' }, go, stay));
  const dialog = make('dialog', { className: 'ask' }, body);
  dialog.setAttribute('aria-labelledby', 'question-title');
  const show = () => {
    const sentences = typeof lines === 'function' ? lines(new FormData(body)) : lines;
    effect.replaceChildren(...sentences.map(line => make('li', {}, line)));
  };
  body.addEventListener('input', show);
  body.addEventListener('submit', async event => {
    event.preventDefault();
    go.disabled = true;
    write(failure, '');
    try {
      say(await perform(new FormData(body)) || 'Done.');
      dialog.close();
    } catch (error) {
      write(failure, explain(error, true));
      show();
    }
    go.disabled = false;
  });
  dialog.addEventListener('close', () => dialog.remove());
  show();
  document.body.append(dialog);
  dialog.showModal();
  (fields.length ? body.querySelector('input, select') : stay).focus();
}

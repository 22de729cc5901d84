/** Shared by the forms of a new sale and a new rain: times, windows, violations, sending. */
import { make } from '../page.js';
import { ID } from './limits.js';
import { ask, choice, field, input, notice } from './parts.js';
import { send, service } from './session.js';
import { explain, seconds } from './words.js';

const UNITS = { 86400: 'days', 3600: 'hours', 60: 'minutes', 1: 'seconds' };

/** The field of an id, with a hint if the id is taken. */
export function idField(kind) {
  const id = input('id', { required: true, pattern: ID });
  const hint = '1 to 64 letters, digits, dots, hyphens and underscores. It is part of URLs.';
  const element = field(`Id of the ${kind.word}`, id, hint);
  const note = element.querySelector('.hint');
  id.addEventListener('change', async () => {
    if (!id.value || !id.validity.valid) return;
    const isTaken = await service.call(`${kind.plural}/${encodeURIComponent(id.value)}`)
      .then(() => true, error => error.code === 'not-loaded');
    note.textContent = isTaken ? `A ${kind.word} with this id already exists.` : hint;
  });
  return element;
}

/** An input for whole numbers within the limits of the API. */
export function whole(name, { minimum, maximum, default: initial = '' }, value = initial) {
  return input(name, { type: 'number', min: minimum, max: maximum ?? '', step: 1, value,
    required: true });
}

/** An optional time in the reader's time zone. */
export function time(label, name, hint, value) {
  const element = input(name, { type: 'datetime-local', step: 1 });
  if (value) element.value = local(new Date(value));
  return field(label, element, hint);
}

function local(date) {
  return new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The instant of a time in a form, or undefined. */
export function instant(form, name) {
  return form.get(name) ? new Date(form.get(name)).toISOString() : undefined;
}

/** A window: a number and its unit. */
export function windowField(label, name, duration, { most, hint }) {
  const all = seconds(duration);
  const unit = Object.keys(UNITS).map(Number).sort((a, b) => b - a)
    .find(size => all && all % size === 0) ?? 60;
  const number = input(name, { type: 'number', min: 0, value: all ? all / unit : '',
    step: 'any' });
  const select = choice(`${name}.unit`, UNITS, String(unit));
  select.ariaLabel = `${label}: unit`;
  const check = () => number.setCustomValidity(Number(number.value) * select.value > most
    ? 'This is too long.' : '');
  number.addEventListener('input', check);
  select.addEventListener('change', check);
  const element = field(label, number, hint);
  number.after(select);
  return element;
}

/** The ISO 8601 duration of a window in a form, or undefined. */
export function duration(form, name) {
  const number = Number(form.get(name));
  return number ? `PT${Math.round(number * Number(form.get(`${name}.unit`)) * 1000) / 1000}S`
    : undefined;
}

export function group(title, ...fields) {
  return make('fieldset', {}, make('legend', {}, title), ...fields);
}

/**
 * A form that prepares a sale or rain.
 *
 * @param body  returns the request body for the form's data
 * @param lines returns the effect in sentences
 */
export function definitionForm(kind, { parts, body, lines }) {
  const failure = make('div');
  const marked = new Set();
  const element = make('form', { className: 'definition' }, idField(kind), ...parts, failure,
    make('p', { className: 'actions' }, make('button', { className: 'primary' },
      `Prepare the ${kind.word} …`)));
  // A violation of one field may be fixed in another.
  element.addEventListener('input', () => {
    marked.forEach(one => one.setCustomValidity(''));
    marked.clear();
  });
  element.addEventListener('submit', event => {
    event.preventDefault();
    failure.replaceChildren();
    const data = new FormData(element);
    const id = data.get('id');
    const definition = body(data);
    ask({
      title: `Prepare ${definition.title || id}?`, lines: lines(id, definition),
      verb: `Prepare the ${kind.word}`,
      perform: async () => {
        try {
          await send('PUT', `${kind.plural}/${encodeURIComponent(id)}`, definition);
        } catch (error) {
          failure.replaceChildren(notice(explain(error, true), 'failure'));
          for (const { field: name, message } of error.data?.violations ?? []) {
            const wrong = element.elements.namedItem(name);
            wrong?.setCustomValidity(`This ${message}.`);
            if (wrong) marked.add(wrong);
          }
          throw error;
        }
        location.hash = `#/${kind.plural}/${encodeURIComponent(id)}`;
        return `${definition.title || id} is prepared.`;
      },
    });
  });
  return element;
}

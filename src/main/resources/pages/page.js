/** What all pages share: elements, texts and numbers. */
const ids = new Map();

/** The element of an id. */
export function $(id) {
  if (!ids.get(id)?.isConnected) ids.set(id, document.getElementById(id));
  return ids.get(id);
}

/** Makes an element: `make('p', { className: 'note' }, 'Text')`. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Changes a text only if it differs, so that nothing is announced twice. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Puts rows into a list; leaves one alone that has them, as moving a row takes its focus. */
export function arrange(list, rows) {
  const same = rows.length === list.children.length
    && rows.every((row, at) => row === list.children[at]);
  if (!same) list.replaceChildren(...rows);
}

/** Says something to those who listen rather than look. */
export function say(text) {
  $('says').textContent = text;
}

const NUMBERS = new Intl.NumberFormat(document.documentElement.lang);

export function count(number) {
  return NUMBERS.format(number);
}

/** A time that is left: 2 d 03:04:05, 04:05. */
export function left(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const two = number => String(number).padStart(2, '0');
  const days = Math.floor(seconds / 86400);
  const hours = Math.floor(seconds / 3600) % 24;
  const clock = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return (days ? `${days} d ` : '') + (days || hours ? `${two(hours)}:` : '') + clock;
}

/** What a token says of its bearer. It proves nothing: only the service can verify it. */
export function claims(token) {
  try {
    const part = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), c => c.charCodeAt(0))));
  } catch {
    return {};
  }
}

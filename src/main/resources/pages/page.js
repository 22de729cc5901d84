/** Shared by all pages: elements, texts and numbers. */
const ids = new Map();

/** The element with an id, cached. */
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

/** Changes a text only if it differs, so that screen readers announce it once. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Puts rows into a list, unless it has exactly these: moving a row would drop its focus. */
export function arrange(list, rows) {
  const same = rows.length === list.children.length
    && rows.every((row, at) => row === list.children[at]);
  if (!same) list.replaceChildren(...rows);
}

/** Announces a text to screen readers. */
export function say(text) {
  $('says').textContent = text;
}

const NUMBERS = new Intl.NumberFormat(document.documentElement.lang);

export function count(number) {
  return NUMBERS.format(number);
}

/** A remaining time: 2 d 03:04:05, 04:05. */
export function left(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const two = number => String(number).padStart(2, '0');
  const days = Math.floor(seconds / 86400);
  const hours = Math.floor(seconds / 3600) % 24;
  const clock = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return (days ? `${days} d ` : '') + (days || hours ? `${two(hours)}:` : '') + clock;
}

/** A token's claims, unverified: only the service can verify them. */
export function claims(token) {
  try {
    const part = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), c => c.charCodeAt(0))));
  } catch {
    return {};
  }
}

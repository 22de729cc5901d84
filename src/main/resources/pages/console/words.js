/** The console's texts: states, times, rates and errors. */
import { RushProblem } from '../rush.js';
import { count, make } from '../page.js';

const STATES = {
  scheduled: 'Scheduled', open: 'Open', paused: 'Paused', 'sold-out': 'Sold out',
  empty: 'Empty', closed: 'Closed', 'not-loaded': 'Not loaded', unknown: 'Unknown',
};
const REFUSALS = {
  forbidden: 'Your role does not allow this.',
  'sale-exists': 'A sale with this id but another definition already exists.',
  'rain-exists': 'A rain with this id but another definition already exists.',
  'unknown-sale': 'There is no sale with this id.',
  'unknown-rain': 'There is no rain with this id.',
  'unknown-order': 'There is no such order.',
  'not-loaded': 'Redis has lost the stock. Nobody can buy until the books are repaired.',
  'not-implemented': 'This requires a ledger, and this service has none.',
};
const SHORT_CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const NEAR = new Intl.DateTimeFormat(undefined,
  { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
const RATES = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1 });

/** A time of day. */
export function clock(instant) {
  return CLOCK.format(new Date(instant));
}

/** A date and time in the reader's time zone; the element's title has it in UTC. */
export function moment(instant) {
  const at = new Date(instant);
  return make('time', { dateTime: at.toISOString(), title: `${at.toISOString()} (UTC)` },
    MOMENT.format(at));
}

/** A short time for tables: without the date if it is today. */
export function stamp(instant) {
  const at = new Date(instant);
  const isToday = at.toDateString() === new Date().toDateString();
  return make('time', { dateTime: at.toISOString(), className: 'stamp',
    title: `${MOMENT.format(at)}; ${at.toISOString()} (UTC)` },
  (isToday ? CLOCK : NEAR).format(at));
}

/** A state as a badge: its word and shape repeat its colour. */
export function badge(state) {
  const element = make('span', { className: 'badge' }, STATES[state] ?? state);
  element.dataset.state = state;
  return element;
}

/** A rate; null if it is not known yet. */
export function rate(perSecond) {
  if (perSecond === null) return '…';
  return `${RATES.format(Math.abs(perSecond) < 0.05 ? 0 : perSecond)}/s`;
}

/** A forecast of a track, in words. */
export function forecast(track, state, endsAt, now) {
  if (state !== 'open') return '–';
  if (track.rate() === null) return 'measuring…';
  const found = track.forecast(endsAt);
  if (!found) return 'not foreseeable';
  return 'left' in found ? `ends with about ${count(found.left)} left`
    : `in about ${about(found.at - now, now)}`;
}

/** An estimated duration and, unless it is short, the time of day. */
function about(milliseconds, now) {
  const minutes = milliseconds / 60_000;
  if (minutes < 1.5) return `${Math.max(1, Math.round(minutes * 60))} s`;
  const clockThen = SHORT_CLOCK.format(new Date(now + milliseconds));
  if (minutes < 100) return `${Math.round(minutes)} min, at ${clockThen}`;
  return minutes < 2000 ? `${Math.round(minutes / 60)} h, at ${clockThen}`
    : `${Math.round(minutes / 1440)} days`;
}

/** Why a call failed, in sentences. A failed change may have taken effect anyway. */
export function explain(error, isChange = false) {
  if (error instanceof RushProblem && !error.isUnknown) {
    const violations = error.data.violations ?? [];
    if (violations.length) {
      return violations.map(({ field, message }) => `${field || 'The body'} ${message}.`)
        .join(' ');
    }
    const known = REFUSALS[error.code];
    const detail = error.data.detail ?? error.message;
    // A detail that repeats the title adds nothing.
    const isKnown = known && [known, `${error.data.title}.`].includes(detail);
    return [known, isKnown ? '' : detail].filter(Boolean).join(' ');
  }
  return isChange ? 'No response, so it is unknown whether this took effect. '
    + 'It is safe to repeat it.' : 'The service did not respond.';
}

/** How many of something: `1 order`, `2 orders`. */
export function many(number, one, more = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : more}`;
}

/** Seconds of an ISO 8601 duration. */
export function seconds(duration) {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(duration ?? '');
  return parts ? [86400, 3600, 60, 1].reduce((sum, size, at) =>
    sum + size * Number(parts[at + 1] ?? 0), 0) : 0;
}

/** Seconds in words. */
export function span(total) {
  const sizes = [[86400, 'day'], [3600, 'hour'], [60, 'minute'], [1, 'second']];
  const words = [];
  let rest = total;
  for (const [size, word] of sizes) {
    const number = size === 1 ? rest : Math.floor(rest / size);
    if (number) words.push(many(number, word));
    rest -= number * size;
  }
  return words.join(' ') || 'none';
}

/** What the console says: states, times, rates, and what went wrong. */
import { RushProblem } from '../rush.js';
import { count, make } from '../page.js';

const STATES = {
  scheduled: 'Scheduled', open: 'Open', paused: 'Paused', 'sold-out': 'Sold out',
  empty: 'Empty', closed: 'Closed', 'not-loaded': 'Not loaded',
};
const REFUSALS = {
  forbidden: 'Your role may not do this.',
  'sale-exists': 'There is a sale of this id already, with another definition.',
  'rain-exists': 'There is a rain of this id already, with another definition.',
  'unknown-sale': 'There is no sale of this id.',
  'unknown-rain': 'There is no rain of this id.',
  'unknown-order': 'There is no such order.',
  'not-loaded': 'Redis has lost this. Nobody can buy until its books are repaired.',
  'not-implemented': 'This service keeps no ledger, and this needs one.',
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

/** A date and a time, here and now in the reader's zone; the element has it in UTC. */
export function moment(instant) {
  const at = new Date(instant);
  return make('time', { dateTime: at.toISOString(), title: `${at.toISOString()} (UTC)` },
    MOMENT.format(at));
}

/** A time in a table: only what tells it from others of these days. */
export function stamp(instant) {
  const at = new Date(instant);
  const isToday = at.toDateString() === new Date().toDateString();
  return make('time', { dateTime: at.toISOString(), className: 'stamp',
    title: `${MOMENT.format(at)}; ${at.toISOString()} (UTC)` },
  (isToday ? CLOCK : NEAR).format(at));
}

/** A state as a badge whose shape and word say the same as its colour. */
export function badge(state) {
  const element = make('span', { className: 'badge' }, STATES[state] ?? state);
  element.dataset.state = state;
  return element;
}

/** A rate; `null` is one that is not known yet. */
export function rate(perSecond) {
  if (perSecond === null) return '…';
  return `${RATES.format(Math.abs(perSecond) < 0.05 ? 0 : perSecond)}/s`;
}

/** A forecast of a track, in words. */
export function forecast(track, state, endsAt, now) {
  if (state !== 'open') return '–';
  if (track.rate() === null) return 'measuring…';
  const found = track.forecast(endsAt);
  if (!found) return 'not in sight';
  return 'left' in found ? `ends with about ${count(found.left)} left`
    : `in about ${about(found.at - now, now)}`;
}

/** A time that is only guessed, and when that is unless it is soon. */
function about(milliseconds, now) {
  const minutes = milliseconds / 60_000;
  if (minutes < 1.5) return `${Math.max(1, Math.round(minutes * 60))} s`;
  const clockThen = SHORT_CLOCK.format(new Date(now + milliseconds));
  if (minutes < 100) return `${Math.round(minutes)} min, at ${clockThen}`;
  return minutes < 2000 ? `${Math.round(minutes / 60)} h, at ${clockThen}`
    : `${Math.round(minutes / 1440)} days`;
}

/** Why a call failed, in sentences. A change may have been made all the same. */
export function explain(error, isChange = false) {
  if (error instanceof RushProblem && !error.isUnknown) {
    const violations = error.data.violations ?? [];
    if (violations.length) {
      return violations.map(({ field, message }) => `${field || 'The body'} ${message}.`)
        .join(' ');
    }
    const known = REFUSALS[error.word];
    const detail = error.data.detail ?? error.message;
    // A detail that is the title again says no more.
    const isKnown = known && [known, `${error.data.title}.`].includes(detail);
    return [known, isKnown ? '' : detail].filter(Boolean).join(' ');
  }
  return isChange ? 'No answer came, so it is not known whether this was done. '
    + 'Doing it again is safe.' : 'The service did not answer.';
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

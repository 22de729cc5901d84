/** The red-packet rain: envelopes fall, a grab opens one, the leaderboard follows. */
import { $, arrange, arrive, count, countDown, isCalm, make, parameter, run, say, sayState,
  showLink, write } from './visitor.js';
import { Sky } from './sky.js';

const RAIN = parameter('rain', '7758521');
const BOARD_MS = 700;

const STATE = {
  scheduled: 'The rain is coming. It begins in',
  open: 'It is raining envelopes',
  paused: 'A short break. It resumes in a moment.',
  empty: 'The sky is empty: all envelopes are caught',
  closed: 'The rain is over',
};
const REFUSAL = {
  empty: 'Too late: no envelope is left.',
  'limit-reached': 'You have reached the limit per person.',
  'not-open': 'Not yet!',
  paused: 'A short break.',
  closed: 'The rain is over.',
  blocked: 'You cannot grab envelopes here.',
  'rate-limited': 'Slow down a little.',
};

/** The page's state: `waiting` counts grabs without an outcome. */
const page = { view: null, grabs: [], waiting: 0, unknown: false, rank: 0 };
const coins = new Map();
let rush;
let rain;
let queue = Promise.resolve();

const sky = new Sky($('sky'), envelope => grab(envelope));

function isOpen() {
  return page.view?.state === 'open';
}

/** How many more envelopes the visitor may grab. */
function mayTake() {
  const limit = page.view?.limitPerUser || Infinity;
  return isOpen() ? limit - page.grabs.length - page.waiting : 0;
}

/** Grabs are queued: each has its own key, and only one outcome is pending at a time. */
function grab(envelope) {
  if (mayTake() <= 0) return;
  page.waiting++;
  envelope?.hold();
  show();
  queue = queue.then(() => open(envelope));
}

async function open(envelope) {
  try {
    const got = await rain.grab({ onUnknown: () => {
      page.unknown = true;
      say('The response was lost. Retrying with the same key.');
      show();
    } });
    if (!page.grabs.some(known => known.grab === got.grab)) page.grabs.unshift(got);
    envelope?.open(count(got.amount));
    pop(`+${count(got.amount)}`, 'won');
    await refreshBoard();
    say(`${count(got.amount)} coins.${page.rank ? ` You are number ${page.rank}.` : ''}`);
  } catch (error) {
    const text = REFUSAL[error.code] || error.message;
    envelope?.vanish();
    pop(text, 'lost');
    say(text);
  }
  page.waiting--;
  page.unknown = false;
  show();
}

function pop(text, kind) {
  const result = $('result');
  write(result, text);
  result.dataset.kind = kind;
  if (!isCalm()) {
    result.animate([{ transform: 'scale(.6)', opacity: 0 },
      { transform: 'scale(1.08)', opacity: 1 }, { transform: 'none' }],
    { duration: 320, easing: 'ease-out' });
  }
}

function hint() {
  const { view } = page;
  if (page.unknown) return 'The response was lost. This page retries: you lose nothing.';
  if (!view) return '\u00a0';
  const limit = view.limitPerUser;
  if (limit && page.grabs.length >= limit) return `You have all your ${count(limit)}. Well done.`;
  if (!isOpen()) return STATE[view.state] || '';
  return (limit ? `${count(limit - page.grabs.length)} of ${count(limit)} to go. ` : '')
    + 'Click an envelope, or press the button.';
}

function show() {
  const { view } = page;
  if (!view) return;
  const title = view.title || view.rain;
  document.title = `${title} – Rush`;
  write($('title'), title);
  write($('state'), view.state === 'open'
    ? `${count(view.left.count)} of ${count(view.prepared.count)} envelopes left`
    : STATE[view.state] || view.state);
  $('grab').ariaDisabled = String(mayTake() <= 0);
  $('grab').disabled = false;
  write($('grab'), page.waiting ? 'Opening…' : 'Grab an envelope');
  write($('hint'), hint());
  write($('sum'), count(page.grabs.reduce((sum, got) => sum + got.amount, 0)));
  arrange($('grabs'), page.grabs.map(got => {
    if (!coins.has(got.grab)) {
      coins.set(got.grab, make('li', {}, make('span', { className: 'coin' }, count(got.amount))));
    }
    return coins.get(got.grab);
  }));
  sky.rain(isOpen(), mayTake() > 0);
}

function showView(view) {
  const before = page.view?.state;
  page.view = view;
  showLink('live');
  show();
  sayState(STATE, before, view.state);
  scheduleBoard();
}

let boardTimer = 0;

/** Reads the leaderboard after changes, at most once per interval. */
function scheduleBoard() {
  boardTimer ||= setTimeout(() => {
    boardTimer = 0;
    refreshBoard();
  }, BOARD_MS);
}

async function refreshBoard() {
  try {
    showBoard(await rain.leaderboard(10));
  } catch {
    // The next change retries.
  }
}

function showBoard(entries) {
  const board = $('board');
  const rows = new Map([...board.children].map(row => [row.dataset.user, row]));
  const before = new Map([...rows].map(([user, row]) => [user, row.getBoundingClientRect().top]));
  page.rank = entries.find(entry => entry.user === rush.user)?.rank || 0;
  $('no-board').hidden = entries.length > 0;
  arrange(board, entries.map(entry => {
    const row = rows.get(entry.user) || make('li', {}, make('span', { className: 'who' }),
      make('span', { className: 'coin' }));
    row.dataset.user = entry.user;
    row.classList.toggle('me', entry.user === rush.user);
    write(row.firstChild, entry.user === rush.user ? `${entry.user} (you)` : entry.user);
    write(row.lastChild, count(entry.amount));
    return row;
  }));
  if (isCalm()) return;
  for (const row of board.children) {
    const way = (before.get(row.dataset.user) ?? Infinity) - row.getBoundingClientRect().top;
    const from = Number.isFinite(way) ? { transform: `translateY(${way}px)` }
      : { transform: 'translateX(2rem)', opacity: 0 };
    if (way) row.animate([from, { transform: 'none' }], { duration: 450, easing: 'ease-in-out' });
  }
}

function goal() {
  const { view } = page;
  if (view?.state === 'scheduled') {
    return { label: 'Begins in', at: Date.parse(view.startsAt), over: 'Now!', isNear: true };
  }
  return view?.endsAt && view.state === 'open'
    ? { label: 'Ends in', at: Date.parse(view.endsAt), over: 'Ending…' } : null;
}

async function load() {
  showView(await rain.view());
  page.grabs = await rain.grabs();
  show();
}

rush = await arrive(client => client.rain(RAIN).grabs());
rain = rush.rain(RAIN);
$('grab').addEventListener('click', () => grab(sky.lowest()));
await run('rain', RAIN, load, () => {
  rain.watch(showView, () => showLink('lost'));
  if (rain.pending()) {
    // A grab that was pending when an earlier page closed.
    page.waiting++;
    queue = open(null);
  }
});
countDown(rush, goal);

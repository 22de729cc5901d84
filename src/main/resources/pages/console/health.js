/** How the service fares: what is wrong, the Redis masters, and the pods, as the pods say. */
import { count, make } from '../page.js';
import { meter } from './lists.js';
import { follow } from './live.js';
import { card, heading, link, notice, table } from './parts.js';
import { badge, explain, many, rate, span, stamp } from './words.js';

const EVERY_MS = 2_000;
const KB = 1024;
const SIZES = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
/** What each alarm means, where the console helps, and what its figure is unless a number. */
const ALARMS = {
  RushOversold: ['More units are ordered than a sale has. Pause it and read its books.', 'sales'],
  RushBooksDrift: ['Redis and the ledger disagree. Books name the item and its repair.', 'sales'],
  RushLedgerBehind: ['PostgreSQL may lack commits. Nothing of these partitions expires or is '
    + 'repaired, and reservations may be on hold.', 'sales'],
  RushLedgerSums: ['The ledger’s sums are apart from its orders.'],
  RushLedgerBacklog: ['Very many orders wait for PostgreSQL. Sales refuse to sell when their '
    + 'partition is full.'],
  RushSaleNotLoaded: ['Redis has lost the stock of this sale. Nobody can buy until its books are '
    + 'repaired.', 'sales'],
  RushRedisUnreachable: ['A pod does not reach a Redis master. Sales of the others go on.'],
  RushRedisSlotsUncovered: ['Hash slots have no master. Sales that lie there cannot sell.'],
  RushRedisWriteFailed: ['A master cannot write its files. Look at its disk.'],
  RushRedisMemory: ['A master uses most of its memory. A full one sells nothing.', null,
    value => `${count(Math.round(value * 100))} %`],
  RushRedisReplicaMissing: ['A master has no replica. If it is lost now, what it holds is gone.'],
  RushLedgerLag: ['The oldest order has waited for PostgreSQL for longer than a minute.', null,
    lasting],
  RushDeadLetters: ['Orders could not be stored. Mend the cause, then replay them.',
    'dead-letters'],
  RushWatchLag: ['Openings, closings and sell-outs are told more than a minute late.', null,
    lasting],
  RushEventsHeld: ['One open transaction of PostgreSQL holds back all events. End it.', null,
    lasting],
  RushReturnsAlarmed: ['Returns wait for an order that does not come.', 'sales'],
  RushClocksApart: ['Clocks of Redis and PostgreSQL are apart. Orders expire late.', null,
    lasting],
  RushWebhookLag: ['A webhook is more than 15 minutes behind.', 'webhooks', lasting],
  RushKafkaLag: ['Events wait for Kafka for longer than five minutes. They are kept.', null,
    lasting],
};

export function healthPage(main, signal) {
  const failure = make('div');
  const alarms = make('div', { className: 'terms' });
  const figures = make('div', { className: 'figures' });
  alarms.setAttribute('aria-live', 'polite');
  main.replaceChildren(heading('Health'), failure, alarms, figures,
    make('p', { className: 'hint' }, 'As the pods say, each every second. Alarms that compare '
      + 'times or pods, such as a rate of errors, are Prometheus’s alone.'));
  let shown;
  follow(() => 'status', {
    every: EVERY_MS, signal, time: status => status.asOf,
    show: status => {
      failure.replaceChildren();
      const text = JSON.stringify(status.alarms);
      if (text !== shown) {
        shown = text;
        alarms.replaceChildren(...alarmList(status.alarms));
      }
      figures.replaceChildren(...masters(status.pods), ...pods(status));
    },
    refused: error => failure.replaceChildren(notice(explain(error), 'failure')),
  });
}

function alarmList(alarms) {
  if (!alarms.length) return [notice('No alarm. All is well as far as the pods can tell.', 'done')];
  return [make('h2', {}, many(alarms.length, 'alarm')), ...alarms.map(({ alarm, severity, subject,
    value }) => {
    const [text, route, told = figure] = ALARMS[alarm] ?? [''];
    const place = alarm === 'RushSaleNotLoaded' && subject
      ? `sales/${encodeURIComponent(subject)}/books` : route;
    const state = badge(severity);
    return make('div', { className: `notice alarm ${severity}` },
      make('p', {}, state, ' ', make('strong', {}, alarm), subject ? ` · ${subject}` : ''),
      make('p', {}, text), make('p', { className: 'hint' }, `Now ${told(value)}. `,
        ...place ? [link('See there', place)] : []));
  })];
}

function lasting(seconds) {
  return span(Math.round(seconds));
}

function figure(value) {
  return Number.isInteger(value) ? count(value) : rate(value).replace('/s', '');
}

/** Each master as whoever knows most of it sees it. */
function masters(all) {
  const known = new Map();
  for (const { masters: some = [] } of all) {
    for (const one of some) known.set(one.master, { ...known.get(one.master), ...one });
  }
  const { frame } = table('Redis masters', ['Master', 'Replicas', 'Memory', 'Files'],
    [...known.values()].map(one => card(make('code', {}, one.master), {
      Replicas: one.replicas === undefined ? 'no cluster' : count(one.replicas),
      Memory: memory(one),
      Files: { true: 'cannot be written', false: 'written' }[one.writeFailed] ?? '–',
    })));
  frame.classList.add('cards');
  return [make('h2', {}, `Redis: ${many(known.size, 'master')}`), frame];
}

function memory({ memoryUsed, memoryMax }) {
  if (memoryUsed === undefined) return '–';
  if (!memoryMax) return `${size(memoryUsed)}, without a limit`;
  const bar = meter();
  bar.show(memoryUsed, memoryMax);
  return make('div', {}, `${size(memoryUsed)} of ${size(memoryMax)}`, bar.element);
}

function size(bytes) {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(KB)));
  return `${count(Math.round(bytes / KB ** step * 10) / 10)} ${SIZES[step]}`;
}

function pods({ pods: all, asOf }) {
  const { frame } = table('Pods', ['Pod', 'Role', 'Redis', 'Waits for PostgreSQL', 'Oldest',
    'Books checked', 'Running for', 'Said so'], all.map(pod => card(make('code', {}, pod.pod), {
    Role: pod.role,
    Redis: pod.reachesRedis ? 'reaches all masters' : 'does not reach all masters',
    'Waits for PostgreSQL': pod.backlog === undefined ? '–' : many(pod.backlog, 'order'),
    Oldest: pod.lagSeconds === undefined ? '–' : `${figure(pod.lagSeconds)} s`,
    'Books checked': pod.booksCheckedAt ? stamp(pod.booksCheckedAt) : '–',
    'Running for': since(pod.startedAt, asOf),
    'Said so': `${figure(Math.max(0, (Date.parse(asOf) - Date.parse(pod.asOf)) / 1000))} s ago`,
  })));
  frame.classList.add('cards');
  return [make('h2', {}, many(all.length, 'pod')), frame];
}

function since(startedAt, asOf) {
  const seconds = Math.max(0, Math.floor((Date.parse(asOf) - Date.parse(startedAt)) / 1000));
  const step = seconds >= 86_400 ? 3600 : seconds >= 3600 ? 60 : 1;
  return span(seconds - seconds % step);
}

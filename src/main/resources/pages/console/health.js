/** The state of the service as the pods report it: alarms, Redis masters and pods. */
import { count, make } from '../page.js';
import { meter } from './lists.js';
import { follow } from './live.js';
import { card, heading, link, notice, table } from './parts.js';
import { badge, explain, many, rate, span, stamp } from './words.js';

const EVERY_MS = 2_000;
const KB = 1024;
const SIZES = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
/** Per alarm: its meaning, the page that helps, and the format of its figure if not a number. */
const ALARMS = {
  RushOversold: ['More units are ordered than the sale has. Pause it and read its books.',
    'sales'],
  RushBooksDrift: ['Redis and the ledger disagree. Read the books of the sale and repair them.',
    'sales'],
  RushLedgerBehind: ['PostgreSQL may lack commits. In these partitions nothing expires or can be '
    + 'repaired, and reservations may be on hold.', 'sales'],
  RushLedgerSums: ['The ledger’s sums differ from its orders. Do not repair books before the cause '
    + 'is known.'],
  RushLedgerBacklog: ['Very many orders wait for PostgreSQL. Once a partition is full, its sales '
    + 'refuse to sell.'],
  RushSaleNotLoaded: ['Redis has lost the stock of this sale. Nobody can buy until its books are '
    + 'repaired.', 'sales'],
  RushRedisUnreachable: ['A pod cannot reach a Redis master. Sales on other masters continue.'],
  RushRedisSlotsUncovered: ['Hash slots have no master. Sales in those slots cannot sell.'],
  RushRedisWriteFailed: ['A master cannot write to its disk. Check whether the disk is full.'],
  RushRedisMemory: ['A master uses most of its memory. Once it is full, nobody can buy there.',
    null, value => `${count(Math.round(value * 100))} %`],
  RushRedisReplicaMissing: ['A master has no replica. If its disk is lost too, orders that '
    + 'PostgreSQL does not have yet are gone. Restore the replica.'],
  RushLedgerLag: ['The oldest order has waited for PostgreSQL for more than a minute.', null,
    lasting],
  RushDeadLetters: ['Orders could not be stored. Fix the cause, then replay them.',
    'dead-letters'],
  RushWatchLag: ['Events of sales that opened, closed or sold out are more than a minute late.',
    null, lasting],
  RushEventsHeld: ['One open PostgreSQL transaction holds back all events. End it.', null,
    lasting],
  RushReturnsAlarmed: ['Returns have waited too long for their orders.', 'sales'],
  RushClocksApart: ['The clocks of Redis and PostgreSQL differ. Unpaid orders expire late.', null,
    lasting],
  RushWebhookLag: ['A webhook is more than 15 minutes behind.', 'webhooks', lasting],
  RushKafkaLag: ['Kafka is more than five minutes behind. No event is lost.', null,
    lasting],
};

export function healthPage(main, signal) {
  const failure = make('div');
  const alarms = make('div', { className: 'terms' });
  const figures = make('div', { className: 'figures' });
  alarms.setAttribute('aria-live', 'polite');
  main.replaceChildren(heading('Health'), failure, alarms, figures,
    make('p', { className: 'hint' }, 'Each pod reports every second. Only Prometheus has '
      + 'alerts that compare times or pods, such as error rates.'));
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
  if (!alarms.length) return [notice('No alarms. The pods report no problem.', 'done')];
  return [make('h2', {}, many(alarms.length, 'alarm')), ...alarms.map(({ alarm, severity, subject,
    value }) => {
    const [text, route, format = figure] = ALARMS[alarm] ?? [''];
    const place = alarm === 'RushSaleNotLoaded' && subject
      ? `sales/${encodeURIComponent(subject)}/books` : route;
    const state = badge(severity);
    return make('div', { className: `notice alarm ${severity}` },
      make('p', {}, state, ' ', make('strong', {}, alarm), subject ? ` · ${subject}` : ''),
      make('p', {}, text), make('p', { className: 'hint' }, `Current value: ${format(value)}. `,
        ...place ? [link('Show details', place)] : []));
  })];
}

function lasting(seconds) {
  return span(Math.round(seconds));
}

function figure(value) {
  return Number.isInteger(value) ? count(value) : rate(value).replace('/s', '');
}

/** Each master, merged from the reports of all pods. */
function masters(all) {
  const known = new Map();
  for (const { masters: some = [] } of all) {
    for (const one of some) known.set(one.master, { ...known.get(one.master), ...one });
  }
  const { frame } = table('Redis masters', ['Master', 'Replicas', 'Memory', 'Disk'],
    [...known.values()].map(one => card(make('code', {}, one.master), {
      Replicas: one.replicas === undefined ? 'not a cluster' : count(one.replicas),
      Memory: memory(one),
      Disk: { true: 'cannot write', false: 'ok' }[one.writeFailed] ?? '–',
    })));
  frame.classList.add('cards');
  return [make('h2', {}, `Redis: ${many(known.size, 'master')}`), frame];
}

function memory({ memoryUsed, memoryMax }) {
  if (memoryUsed === undefined) return '–';
  if (!memoryMax) return `${size(memoryUsed)}, no limit`;
  const bar = meter();
  bar.show(memoryUsed, memoryMax);
  return make('div', {}, `${size(memoryUsed)} of ${size(memoryMax)}`, bar.element);
}

function size(bytes) {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(KB)));
  return `${count(Math.round(bytes / KB ** step * 10) / 10)} ${SIZES[step]}`;
}

function pods({ pods: all, asOf }) {
  const { frame } = table('Pods', ['Pod', 'Role', 'Redis', 'Waiting for PostgreSQL', 'Oldest',
    'Books checked', 'Uptime', 'Reported'], all.map(pod => card(make('code', {}, pod.pod), {
    Role: pod.role,
    Redis: pod.reachesRedis ? 'all masters reachable' : 'not all masters reachable',
    'Waiting for PostgreSQL': pod.backlog === undefined ? '–' : many(pod.backlog, 'order'),
    Oldest: pod.lagSeconds === undefined ? '–' : `${figure(pod.lagSeconds)} s`,
    'Books checked': pod.booksCheckedAt ? stamp(pod.booksCheckedAt) : '–',
    Uptime: since(pod.startedAt, asOf),
    Reported: `${figure(Math.max(0, (Date.parse(asOf) - Date.parse(pod.asOf)) / 1000))} s ago`,
  })));
  frame.classList.add('cards');
  return [make('h2', {}, many(all.length, 'pod')), frame];
}

function since(startedAt, asOf) {
  const seconds = Math.max(0, Math.floor((Date.parse(asOf) - Date.parse(startedAt)) / 1000));
  const step = seconds >= 86_400 ? 3600 : seconds >= 3600 ? 60 : 1;
  return span(seconds - seconds % step);
}

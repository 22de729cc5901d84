/** One sale or rain: its live figures, terms, controls and tabs. */
import { arrange, count, left, make, say, write } from '../page.js';
import { booksTab } from './books.js';
import { Chart } from './chart.js';
import { changeTotal, controls } from './controls.js';
import { holdsTab } from './holds.js';
import { leadersTab } from './leaders.js';
import { figure, meter } from './lists.js';
import { follow } from './live.js';
import { next } from './offers.js';
import { ordersTab } from './orders.js';
import { button, heading, link, notice, pairs, table } from './parts.js';
import { trackOf } from './rates.js';
import { refusals } from './refusals.js';
import { returnsTab } from './returns.js';
import { is, service } from './session.js';
import { badge, explain, forecast, moment, rate, seconds, span } from './words.js';

const EVERY_MS = 900;
const TABS = {
  books: booksTab, orders: ordersTab, returns: returnsTab, holds: holdsTab, leaders: leadersTab,
};
const GUARDS = {
  none: 'none', cart: 'the same lines by one user', user: 'any order by one user',
};

export function offerPage(main, kind, id, tab, signal) {
  const route = `${kind.plural}/${encodeURIComponent(id)}`;
  const place = make('div', { className: 'tab' });
  const failure = make('div');
  const state = make('span');
  const clock = make('span', { className: 'countdown' });
  const controlled = make('p', { className: 'actions' });
  clock.setAttribute('role', 'timer');
  const head = heading(id, state, make('code', { className: 'hint' }, id), clock);
  const title = head.querySelector('h1');
  main.replaceChildren(link(`All ${kind.plural}`, kind.plural, 'back'), head,
    tabs(kind, route, tab), failure, place);
  const page = { kind, id, name: id, path: route, view: null, signal, place,
    track: trackOf(`${kind.plural}/${id}`) };
  const live = tab ? null : new LiveTab(page, controlled);
  if (tab) TABS[tab](page);

  follow(() => route, {
    every: EVERY_MS, signal,
    time: view => view.asOf,
    show: view => {
      const before = page.view?.state;
      page.view = view;
      page.track.add(Date.parse(view.asOf), kind.left(view), kind.total(view));
      failure.replaceChildren();
      page.name = view.title || id;
      write(title, page.name);
      document.title = `${page.name} – Rush console`;
      if (before !== view.state) {
        state.replaceChildren(badge(view.state));
        if (before) say(`Now ${state.textContent}.`);
      }
      live?.show(view);
    },
    refused: error => {
      failure.replaceChildren(notice(explain(error), 'failure'));
      place.hidden = error.status === 404; // Its tab would repeat this.
      live?.hide();
    },
  });
  const ticking = setInterval(() => countDown(clock, page), 250);
  signal.addEventListener('abort', () => clearInterval(ticking));
}

function tabs(kind, route, chosen = '') {
  const nav = make('nav', { className: 'tabs', ariaLabel: `This ${kind.word}` });
  const shown = kind.tabs.filter(([tab]) => !tab || tab === 'leaders' || is('operator', 'auditor'));
  for (const [tab, name] of shown) {
    const anchor = link(name, tab ? `${route}/${tab}` : route);
    if (tab === chosen) anchor.ariaCurrent = 'page';
    nav.append(anchor);
  }
  return nav;
}

function countDown(clock, { kind, view }) {
  const goal = view && next(kind, view);
  clock.hidden = !goal;
  if (goal) write(clock, `${goal.label} ${left(goal.at - service.now())}`);
}

/** Figures, chart, items and controls. */
class LiveTab {
  #rows = new Map();

  constructor(page, controlled) {
    this.page = page;
    this.controlled = controlled;
    const { kind, place } = page;
    this.figures = {
      left: figure('Left'),
      rate: figure(`${kind.rate} per second, over 30 s`),
      gone: figure(kind.gone),
    };
    if (kind.word === 'rain') this.figures.money = figure('Amount left, in minor units');
    this.meter = meter();
    this.chart = new Chart(kind.unit, kind.rate);
    this.items = table('Items', ['Item', '#Left', '#Total', '#Per user', '#Rate', 'Sold out',
      ...is('operator') ? ['Actions'] : []]);
    this.items.frame.classList.add('cards');
    this.items.frame.hidden = kind.word === 'rain';
    this.terms = make('section', { className: 'terms' });
    this.all = make('div', { className: 'figures live', hidden: true },
      make('dl', { className: 'tiles' }, ...Object.values(this.figures).map(one => one.element)),
      this.meter.element, this.chart.element, this.items.frame,
      ...is('operator', 'auditor') ? [refusals(page)] : []);
    place.replaceChildren(controlled, this.all, this.terms);
  }

  show(view) {
    const { kind, track } = this.page;
    this.all.hidden = false;
    const endsAt = Date.parse(kind.ends(view));
    this.figures.left.show(`${count(kind.left(view))} of ${count(kind.total(view))}`);
    this.figures.rate.show(rate(track.rate()));
    this.figures.gone.show(forecast(track, view.state, endsAt, service.now()));
    this.figures.money?.show(`${count(view.left.amount)} of ${count(view.prepared.amount)}`);
    this.meter.show(kind.left(view), kind.total(view));
    this.chart.draw(track);
    if (view.items) arrange(this.items.body, view.items.map(item => this.#row(item, endsAt)));
    const terms = JSON.stringify([view.state, view.title, kind.begins(view), kind.ends(view)]);
    if (terms !== this.shown) {
      this.shown = terms;
      const focused = this.controlled.contains(document.activeElement);
      this.controlled.replaceChildren(...controls(this.page));
      if (focused) this.controlled.querySelector('button, a')?.focus();
      this.terms.replaceChildren(make('h2', {}, 'Terms'), pairs(termsOf(kind, view)));
    }
  }

  hide() {
    this.all.hidden = true;
    this.shown = null;
    this.controlled.replaceChildren();
  }

  #row(item, endsAt) {
    const known = this.#rows.get(item.sku) ?? this.#makeRow(item);
    this.#rows.set(item.sku, known);
    const { track, cells } = known;
    track.add(Date.parse(this.page.view.asOf), item.left, item.total);
    write(cells[0], count(item.left));
    write(cells[1], count(item.total));
    write(cells[3], this.page.view.state === 'open' ? rate(track.rate()) : '–');
    write(cells[4], item.left ? forecast(track, this.page.view.state, endsAt, service.now())
      : 'sold out');
    if (known.change) known.change.hidden = this.page.view.state === 'closed';
    return known.row;
  }

  #makeRow({ sku, title, limitPerUser }) {
    const cells = ['Left', 'Total', 'Per user', 'Rate', 'Sold out'].map(label => {
      const cell = make('td', { className: label === 'Sold out' ? '' : 'number' });
      cell.dataset.label = label;
      return cell;
    });
    write(cells[2], limitPerUser ? count(limitPerUser) : 'no limit');
    const change = is('operator') ? button('Change total', () => changeTotal(this.page, sku),
      { kind: 'quiet', label: `Change the total of ${title}`, needsLive: true }) : null;
    const row = make('tr', {}, make('th', { scope: 'row' }, title,
      make('span', { className: 'hint' }, title === sku ? '' : sku)), ...cells,
    ...change ? [make('td', {}, change)] : []);
    row.dataset.sku = sku;
    return { row, cells, change,
      track: trackOf(`${this.page.kind.plural}/${this.page.id}/${sku}`) };
  }
}

function termsOf(kind, view) {
  const begins = kind.begins(view) ? moment(kind.begins(view)) : 'immediately';
  const ends = kind.ends(view) ? moment(kind.ends(view)) : 'when it is closed';
  const terms = [['Opens', begins], ['Ends', ends], ['Answered once stored by', {
    redis: 'its Redis master', replicas: 'all replicas', ledger: 'PostgreSQL',
  }[view.durability] ?? view.durability]];
  if (kind.word === 'rain') {
    return [...terms, ['Grabs per user', count(view.limitPerUser)],
      ['Amounts', view.envelopes === 'list' ? 'listed' : `split, ${view.envelopes}`],
      ...view.takenBack ? [['Taken back', `${count(view.takenBack.count)} envelopes with `
        + `${count(view.takenBack.amount)} minor units`]] : []];
  }
  return [...terms,
    ['Pay within', view.paymentWindow ? span(seconds(view.paymentWindow)) : 'no payment'],
    ['Units per line', `at most ${count(view.maxQuantity)}`],
    ['Duplicates refused', GUARDS[view.duplicateGuard] ?? view.duplicateGuard],
    ['Shards', count(view.shards)]];
}

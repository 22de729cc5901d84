/** Two charts of a track over one time axis: units left, and units taken per second. */
import { count, make } from '../page.js';
import { clock, rate } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Nothing is drawn between samples that are further apart. */
const GAP_MS = 5_000;
const SPANS_MS = [60_000, 120_000, 300_000, 600_000];
/** Margins of a graph in rem: labels on the left have at most six characters. */
const EDGE = { left: 3.5, right: 0.75, top: 0.65, bottom: 1.5 };
const LONG = 100_000;
const SHORT = new Intl.NumberFormat(document.documentElement.lang,
  { notation: 'compact', maximumSignificantDigits: 4 });

function shape(tag, attributes, text = '') {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

/** The next round number whose half is round too. */
function round(number) {
  const power = 10 ** Math.floor(Math.log10(Math.max(number, 1)));
  return [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].map(step => step * power)
    .find(step => step >= number * 0.999);
}

export class Chart {
  #graphs;
  #readout = make('p', { className: 'readout', ariaHidden: 'true' });
  #rows = make('tbody');
  #details;
  #samples = [];

  constructor(unit, taken) {
    this.#graphs = [
      { name: `${unit}s left`, kind: 'area', value: sample => sample.left },
      { name: `${taken} per second`, kind: 'bars', value: sample => sample.rate },
    ].map(graph => ({ ...graph, svg: shape('svg', { role: 'img', class: graph.kind }) }));
    this.#details = make('details', {}, make('summary', {}, 'Show as a table'),
      make('table', {}, make('thead', {}, make('tr', {}, ...['Until', 'Left', taken].map(name =>
        make('th', { scope: 'col' }, name)))), this.#rows));
    this.#details.addEventListener('toggle', () => this.#list());
    this.element = make('figure', { className: 'chart' }, ...this.#graphs.flatMap(graph =>
      [make('figcaption', {}, graph.name[0].toUpperCase() + graph.name.slice(1)), graph.svg]),
    this.#readout, this.#details);
    for (const { svg } of this.#graphs) {
      svg.addEventListener('pointermove', event => this.#point(event));
      svg.addEventListener('pointerleave', () => { this.#readout.textContent = ''; });
    }
    new ResizeObserver(() => this.#paint()).observe(this.element);
  }

  /** Draws the samples of a track. */
  draw({ samples }) {
    this.#samples = samples.map((sample, at) => {
      const before = samples[at - 1];
      const isKnown = before && sample.at - before.at < GAP_MS;
      const went = isKnown ? sample.taken - before.taken : 0;
      return { ...sample, isKnown, went,
        rate: isKnown ? went * 1000 / (sample.at - before.at) : 0 };
    });
    this.#paint();
    this.#list();
  }

  #paint() {
    const last = this.#samples.at(-1);
    if (!last || !this.element.clientWidth) return;
    const seen = last.at - this.#samples[0].at;
    const span = SPANS_MS.find(size => size >= seen) ?? SPANS_MS.at(-1);
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const edge = Object.fromEntries(Object.entries(EDGE).map(([side, size]) =>
      [side, size * rem]));
    for (const graph of this.#graphs) {
      const { svg, value, kind, name } = graph;
      const { width, height } = svg.getBoundingClientRect();
      const box = { width, height, rem, edge };
      const top = round(Math.max(...this.#samples.map(value)));
      const x = at => edge.left + (1 - (last.at - at) / span) * (width - edge.left - edge.right);
      const y = number => height - edge.bottom
        - Math.max(0, number) / top * (height - edge.bottom - edge.top);
      svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
      svg.setAttribute('aria-label', kind === 'area'
        ? `${name}: ${count(last.left)} now, ${count(this.#samples[0].left)} at the start`
        : `${name}: ${rate(Math.max(...this.#samples.map(value)))} at most`);
      svg.replaceChildren(...this.#axes(box, top, span, y),
        ...(kind === 'area' ? this.#area(x, y) : this.#bars(x, y)));
      graph.at = pixel => last.at - span
        * (1 - (pixel - edge.left) / (width - edge.left - edge.right));
    }
  }

  #axes({ width, height, rem, edge }, top, span, y) {
    const lines = [0, top / 2, top].flatMap(number => [
      shape('path', { class: 'grid', d: `M${edge.left} ${y(number)}H${width - edge.right}` }),
      shape('text', { x: edge.left - rem / 2, y: y(number) + rem / 4, class: 'y' },
        number < LONG ? count(number) : SHORT.format(number)),
    ]);
    const minutes = span / 60_000;
    return [...lines,
      shape('text', { x: edge.left, y: height - 0.4 * rem },
        `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`),
      shape('text', { x: width - edge.right, y: height - 0.4 * rem, class: 'end' }, 'now')];
  }

  #area(x, y) {
    const runs = [];
    for (const sample of this.#samples) {
      if (!sample.isKnown) runs.push([]);
      runs.at(-1).push(sample);
    }
    const last = this.#samples.at(-1);
    return [...runs.flatMap(run => {
      const line = run.map(sample => `${x(sample.at).toFixed(1)} ${y(sample.left).toFixed(1)}`);
      const [from, to] = [x(run[0].at), x(run.at(-1).at)];
      return [
        shape('path', { class: 'fill', d: `M${from} ${y(0)}L${line.join('L')}L${to} ${y(0)}Z` }),
        shape('path', { class: 'line', d: `M${line.join('L')}` }),
      ];
    }), shape('circle', { class: 'dot', cx: x(last.at), cy: y(last.left), r: 4 })];
  }

  #bars(x, y) {
    const bars = this.#samples.flatMap((sample, at) => {
      if (!sample.isKnown || sample.rate <= 0) return [];
      const from = x(this.#samples[at - 1].at);
      return [`M${from.toFixed(1)} ${y(0)}V${y(sample.rate).toFixed(1)}`
        + `H${Math.max(x(sample.at) - 0.5, from + 0.5).toFixed(1)}V${y(0)}Z`];
    });
    return [shape('path', { class: 'bar', d: bars.join('') })];
  }

  #point(event) {
    const graph = this.#graphs.find(({ svg }) => svg === event.currentTarget);
    if (!graph.at) return;
    const at = graph.at(event.offsetX);
    const near = this.#samples.reduce((best, sample) =>
      Math.abs(sample.at - at) < Math.abs(best.at - at) ? sample : best);
    this.#readout.textContent = `${clock(near.at)}: ${count(near.left)} left, ${rate(near.rate)}`;
  }

  /** One row per 15 s, newest first, while the table is open. */
  #list() {
    if (!this.#details.open || !this.#samples.length) return;
    const steps = [];
    for (const sample of this.#samples) {
      const step = Math.floor(sample.at / 15_000);
      const known = steps.at(-1)?.step === step ? steps.pop() : { taken: 0 };
      steps.push({ step, sample, taken: known.taken + sample.went });
    }
    this.#rows.replaceChildren(...steps.reverse().map(({ sample, taken }) => make('tr', {},
      make('td', {}, clock(sample.at)), make('td', {}, count(sample.left)),
      make('td', {}, count(taken)))));
  }
}

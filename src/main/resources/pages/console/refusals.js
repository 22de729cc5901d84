/** Outcomes of purchases or grabs, by code: rates, totals and curves of the last minute. */
import { arrange, count, make, write } from '../page.js';
import { card, table } from './parts.js';
import { service } from './session.js';
import { rate } from './words.js';

const EVERY_MS = 1_000;
const CALL_MS = 4_000;
const KEEP_MS = 60_000;
const WINDOW_MS = 10_000;
const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 120;
const HEIGHT = 24;
const WORDS = {
  accepted: 'Accepted', replayed: 'Repeated with the same key',
  'not-open': 'Not open yet', paused: 'Paused', closed: 'Closed', 'sold-out': 'Sold out',
  'insufficient-stock': 'Fewer left than requested', 'limit-reached': 'Limit reached',
  'duplicate-submission': 'Duplicate', 'key-reused': 'Key reused with another body',
  backlogged: 'Too many orders wait for the ledger', 'not-loaded': 'Redis has lost the stock',
  unavailable: 'Unavailable', 'outcome-unknown': 'Outcome unknown',
  'order-returned': 'Returned before it arrived', rejected: 'Rejected by the ledger',
  empty: 'Empty',
};

/**
 * Totals over all pods. A restarted pod counts from zero under a new name, and a pod may report
 * nothing of an offer for a while, so the totals add up each pod's increases.
 */
export class Outcomes {
  samples = [];
  sums = {};
  #pods = new Map();

  /** Adds the reports of all pods at a server time; `calls` is `purchases` or `grabs`. */
  add(at, pods, calls) {
    for (const { pod, [calls]: words = {} } of pods) {
      const before = this.#pods.get(pod) ?? {};
      for (const [word, number] of Object.entries(words)) {
        const known = before[word] ?? 0;
        this.sums[word] = (this.sums[word] ?? 0) + number - (number < known ? 0 : known);
      }
      this.#pods.set(pod, { ...before, ...words });
    }
    this.samples.push({ at, sums: { ...this.sums } });
    while (this.samples[0].at < at - KEEP_MS) this.samples.shift();
  }

  /** Outcomes per second over the last seconds; null if it is not known yet. */
  rate(word) {
    const last = this.samples.at(-1);
    const first = this.samples.find(({ at }) => at >= last.at - WINDOW_MS);
    return last.at > first.at
      ? (last.sums[word] - (first.sums[word] ?? 0)) * 1000 / (last.at - first.at) : null;
  }

  /** The rate between consecutive samples, with its time. */
  steps(word) {
    return this.samples.slice(1).map(({ at, sums }, before) => ({ at,
      rate: ((sums[word] ?? 0) - (this.samples[before].sums[word] ?? 0)) * 1000
        / Math.max(1, at - this.samples[before].at) }));
  }
}

/** The table of outcomes. It polls until `signal` aborts. */
export function refusals({ kind, id, signal }) {
  const caption = `Outcomes of ${kind.calls}`;
  const outcomes = new Outcomes();
  const rows = new Map();
  const { frame, body } = table(caption,
    ['Outcome', '#Per second, over 10 s', '#Total', 'Last minute']);
  frame.classList.add('cards');
  const element = make('section', { className: 'terms' }, make('h2', {}, caption), frame,
    make('p', { className: 'hint' }, 'Counted by the running pods since they started, most '
      + `frequent first. Calls refused before they reach the ${kind.word} are not counted.`));
  element.hidden = true;
  const read = async () => {
    for (;;) {
      try {
        const { asOf, pods } = await service.call(`status?${kind.word}=${encodeURIComponent(id)}`,
          { signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]) });
        outcomes.add(Date.parse(asOf), pods, kind.calls);
        show(outcomes, rows, body);
        element.hidden = !body.childElementCount;
      } catch {
        // If the service is not responding, the whole page is marked as stale.
      }
      if (signal.aborted) return;
      await new Promise(resolve => { setTimeout(resolve, EVERY_MS); });
      if (signal.aborted) return;
    }
  };
  read();
  return element;
}

function show(outcomes, rows, body) {
  const words = Object.keys(outcomes.sums)
    .sort((one, other) => outcomes.sums[other] - outcomes.sums[one]);
  arrange(body, words.map(word => {
    const known = rows.get(word) ?? outcomeRow(word);
    rows.set(word, known);
    write(known.rate, rate(outcomes.rate(word)));
    write(known.sum, count(outcomes.sums[word]));
    draw(known.curve, outcomes.steps(word));
    return known.row;
  }));
}

function outcomeRow(word) {
  const curve = document.createElementNS(SVG, 'svg');
  curve.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
  curve.setAttribute('preserveAspectRatio', 'none');
  curve.setAttribute('class', word === 'accepted' ? 'curve calm' : 'curve');
  curve.setAttribute('aria-hidden', 'true');
  curve.append(document.createElementNS(SVG, 'path'));
  const perSecond = make('span', { className: 'count' });
  const sum = make('span', { className: 'count' });
  const row = card(make('span', {}, WORDS[word] ?? word,
    make('code', { className: 'hint' }, word)),
  { 'Per second': perSecond, Total: sum, 'Last minute': curve });
  row.dataset.word = word;
  for (const cell of [...row.children].slice(1, 3)) cell.className = 'number';
  return { row, curve, rate: perSecond, sum };
}

function draw(curve, steps) {
  const most = Math.max(1, ...steps.map(step => step.rate));
  const last = steps.at(-1)?.at ?? 0;
  const points = steps.map(step => `${(WIDTH * (1 - (last - step.at) / KEEP_MS)).toFixed(1)} `
    + (HEIGHT - 1 - (HEIGHT - 2) * step.rate / most).toFixed(1));
  curve.firstChild.setAttribute('d', points.length ? `M${points.join('L')}` : '');
}

/** The samples of a supply over time, its rate and its forecast. */
const KEEP_MS = 10 * 60_000;
const WINDOW_MS = 30_000;
/** A rate over a shorter time means nothing. */
const SPAN_MIN_MS = 4_000;
const FORECAST_MAX_MS = 7 * 86_400_000;
const TRACKS_MAX = 500;
const tracks = new Map();

/** The track of a supply, kept across pages. Beyond a limit the least recently used is dropped. */
export function trackOf(name) {
  const track = tracks.get(name) ?? new Track();
  tracks.delete(name);
  tracks.set(name, track);
  if (tracks.size > TRACKS_MAX) tracks.delete(tracks.keys().next().value);
  return track;
}

export class Track {
  samples = [];

  /** Records how many units of a total are left at a server time. */
  add(at, left, total) {
    if (this.samples.length && at <= this.samples.at(-1).at) return;
    this.samples.push({ at, left, taken: total - left });
    while (this.samples[0].at < at - KEEP_MS) this.samples.shift();
  }

  /**
   * Units taken per second over the last 30 s, minus returns; null if there are too few samples.
   */
  rate() {
    const last = this.samples.at(-1);
    const first = this.samples.find(sample => sample.at >= last.at - WINDOW_MS);
    return last && last.at - first.at >= SPAN_MIN_MS
      ? (last.taken - first.taken) * 1000 / (last.at - first.at) : null;
  }

  /**
   * When nothing will be left at this rate (`at`), or how many units will be left at the end
   * (`left`); null if neither can be predicted.
   */
  forecast(endsAt) {
    const rate = this.rate();
    const last = this.samples.at(-1);
    if (!rate || rate <= 0 || !last.left) return null;
    const at = last.at + last.left * 1000 / rate;
    if (endsAt && at > endsAt) {
      return { left: Math.round(last.left - rate * (endsAt - last.at) / 1000) };
    }
    return at - last.at > FORECAST_MAX_MS ? null : { at };
  }
}

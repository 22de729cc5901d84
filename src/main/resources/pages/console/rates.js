/** What was read of one supply over time, and what follows: its rate and its end. */
const KEEP_MS = 10 * 60_000;
const WINDOW_MS = 30_000;
/** A rate over less than this says nothing. */
const SPAN_MIN_MS = 4_000;
const FORESEEN_MS = 7 * 86_400_000;
const TRACKS_MAX = 500;
const tracks = new Map();

/** The track of a supply, which goes on from page to page; of too many the oldest is forgotten. */
export function trackOf(name) {
  const track = tracks.get(name) ?? new Track();
  tracks.delete(name);
  tracks.set(name, track);
  if (tracks.size > TRACKS_MAX) tracks.delete(tracks.keys().next().value);
  return track;
}

export class Track {
  samples = [];

  /** Takes note of what is left of a total at an instant of the server's clock. */
  add(at, left, total) {
    if (this.samples.length && at <= this.samples.at(-1).at) return;
    this.samples.push({ at, left, taken: total - left });
    while (this.samples[0].at < at - KEEP_MS) this.samples.shift();
  }

  /**
   * Units taken a second over the last half minute, those given back deducted; null as long as
   * too little was seen.
   */
  rate() {
    const last = this.samples.at(-1);
    const first = this.samples.find(sample => sample.at >= last.at - WINDOW_MS);
    return last && last.at - first.at >= SPAN_MIN_MS
      ? (last.taken - first.taken) * 1000 / (last.at - first.at) : null;
  }

  /**
   * When nothing will be left at this rate (`at`), or what will be left when it ends before
   * (`left`); null where neither can be said.
   */
  forecast(endsAt) {
    const rate = this.rate();
    const last = this.samples.at(-1);
    if (!rate || rate <= 0 || !last.left) return null;
    const at = last.at + last.left * 1000 / rate;
    if (endsAt && at > endsAt) {
      return { left: Math.round(last.left - rate * (endsAt - last.at) / 1000) };
    }
    return at - last.at > FORESEEN_MS ? null : { at };
  }
}

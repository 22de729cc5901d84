/** The sky of the rain: falling envelopes, or still ones under reduced motion. */
import { isCalm, make } from './visitor.js';

const SPAWN_MS = 420;
const FALLING_MAX = 24;
const LYING = 12;

/** One envelope in the sky. */
class Envelope {
  #fall;
  #left;

  /** `left` is called once it has left the sky. */
  constructor(root, left) {
    this.root = root;
    this.held = false;
    this.#left = left;
  }

  /** Falls through a sky of this height, then leaves. */
  fall(height) {
    const [drift, turn] = [60 * (Math.random() - 0.5), 40 * (Math.random() - 0.5)];
    this.#fall = this.root.animate([
      { transform: `translateY(-8rem) rotate(${-turn}deg)` },
      { transform: `translate(${drift}px, ${height / 2}px) rotate(${turn}deg)` },
      { transform: `translate(${-drift / 2}px, ${height + 20}px) rotate(${-turn}deg)` },
    ], { duration: 4200 + 3200 * Math.random() });
    this.#fall.finished.then(() => this.#remove());
  }

  /** Progress of the fall, 0 to 1. */
  get way() {
    return this.#fall?.effect.getComputedTiming().progress ?? 0;
  }

  /** Stops: the visitor is grabbing it. */
  hold() {
    this.held = true;
    this.#fall?.pause();
    this.root.classList.add('held');
  }

  /** Shows its amount, then leaves. */
  open(amount) {
    this.root.classList.add('opened');
    this.root.lastChild.textContent = amount;
    this.#leave(900);
  }

  /** Leaves without an amount: the grab was refused. */
  vanish() {
    this.root.classList.add('empty');
    this.#leave(300);
  }

  async #leave(delay) {
    const going = this.root.animate([{ opacity: 1 }, { opacity: 0, scale: isCalm() ? '1' : '1.3' }],
      { duration: 400, delay, fill: 'forwards' });
    await going.finished;
    this.#remove();
  }

  #remove() {
    this.root.remove();
    this.#left();
  }
}

/** Envelopes in an element. `grabbed` is called with an envelope that was touched. */
export class Sky {
  #envelopes = new Set();
  #timer = null;

  constructor(root, grabbed) {
    this.root = root;
    this.grabbed = grabbed;
  }

  /** Starts or stops the rain; `open` is whether the visitor may grab more. */
  rain(falls, open) {
    this.root.classList.toggle('closed', !open);
    if (falls && !this.#timer) {
      this.#timer = setInterval(() => this.#spawn(), SPAWN_MS);
    } else if (!falls && this.#timer) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  /** The lowest envelope, for grabs without a pointer. */
  lowest() {
    return [...this.#envelopes].filter(envelope => !envelope.held)
      .sort((one, other) => other.way - one.way)[0];
  }

  #spawn() {
    const calm = isCalm();
    if (document.hidden || this.#envelopes.size >= (calm ? LYING : FALLING_MAX)) return;
    const envelope = new Envelope(make('div', { className: 'envelope' },
      make('span', { className: 'flap' }), make('span', { className: 'seal' }),
      make('span', { className: 'amount' })), () => this.#envelopes.delete(envelope));
    envelope.root.addEventListener('pointerdown', () => {
      if (!envelope.held) this.grabbed(envelope);
    });
    this.#envelopes.add(envelope);
    this.root.append(envelope.root);
    if (!calm) {
      envelope.root.style.left = `calc((100% - 4.4rem) * ${0.04 + 0.92 * Math.random()})`;
      envelope.fall(this.root.clientHeight);
    }
  }
}

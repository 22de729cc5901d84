/** The sky of the rain: envelopes that fall, or lie still for those who want little to move. */
import { isCalm, make } from './visitor.js';

const SPAWN_MS = 420;
const FALLING_MAX = 24;
const LYING = 12;

/** An envelope on its way. */
class Envelope {
  #fall;
  #left;

  /** `left` hears when it has left the sky. */
  constructor(root, left) {
    this.root = root;
    this.held = false;
    this.#left = left;
  }

  /** Falls through a sky of this height, and leaves. */
  fall(height) {
    const [drift, turn] = [60 * (Math.random() - 0.5), 40 * (Math.random() - 0.5)];
    this.#fall = this.root.animate([
      { transform: `translateY(-8rem) rotate(${-turn}deg)` },
      { transform: `translate(${drift}px, ${height / 2}px) rotate(${turn}deg)` },
      { transform: `translate(${-drift / 2}px, ${height + 20}px) rotate(${-turn}deg)` },
    ], { duration: 4200 + 3200 * Math.random() });
    this.#fall.finished.then(() => this.#remove());
  }

  /** How far it has come, 0 to 1. */
  get way() {
    return this.#fall?.effect.getComputedTiming().progress ?? 0;
  }

  /** Stays where it is: somebody has it in hand. */
  hold() {
    this.held = true;
    this.#fall?.pause();
    this.root.classList.add('held');
  }

  /** Shows what was in it, and leaves. */
  open(amount) {
    this.root.classList.add('opened');
    this.root.lastChild.textContent = amount;
    this.#leave(900);
  }

  /** Was empty. */
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

/** Envelopes in an element. `grabbed` hears which one was touched. */
export class Sky {
  #envelopes = new Set();
  #timer = null;

  constructor(root, grabbed) {
    this.root = root;
    this.grabbed = grabbed;
  }

  /** Whether it rains, and whether the visitor may take any more. */
  rain(falls, open) {
    this.root.classList.toggle('closed', !open);
    if (falls && !this.#timer) {
      this.#timer = setInterval(() => this.#spawn(), SPAWN_MS);
    } else if (!falls && this.#timer) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  /** The one that is nearest to the ground, for a hand without a pointer. */
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

/**
 * Rush's browser client: one module, no dependencies.
 *
 *   import { Rush } from 'https://rush.example/rush.js';
 *   const rush = new Rush({ user: '711', headers: () => ({ Authorization: `Bearer ${token}` }) });
 *   const sale = rush.sale('apple-day');
 *   const stop = sale.watch(view => …);
 *   await sale.opened();
 *   const order = await sale.buy([{ sku: 'apple' }]);
 *
 * A purchase's key is stored until the outcome is known. After a 504 or a cut connection the same
 * key is sent again, also after a reload (`settle`): no retry buys twice.
 */
const TIMEOUT_MS = 15_000;
const BACKOFF_MAX_MS = 10_000;
const GIVE_UP_MS = 30_000;
const FRESH_MS = 120_000;
/** Nothing happened: worth sending again. */
const PASSING = ['unavailable', 'backlogged', 'rate-limited'];
/** Refused before the server looked for the key: says nothing of an earlier try. */
const BEFORE_THE_KEY = [400, 401, 403, 408, 413, 415, 429];
const FINAL = ['confirmed', 'rejected', 'expired', 'returned'];

/** A refusal or failure. `word` is its type (`sold-out`), `data` the whole problem. */
export class RushProblem extends Error {
  constructor(status, data = {}, retryAfter = 0) {
    super(data.detail || `HTTP ${status}`);
    this.status = status;
    this.data = data;
    this.word = String(data.type || '').split('/').pop();
    this.retryAfter = retryAfter;
  }

  /** Whether the call may have been done all the same. */
  get isUnknown() {
    return this.status >= 500 && !PASSING.includes(this.word)
      && !['not-loaded', 'not-implemented'].includes(this.word);
  }
}

/** A service, called by one user. */
export class Rush {
  #headers;
  #offset = [-Infinity, Infinity];

  /** `user` tells stored keys apart; `headers` returns those that say who calls, or a promise. */
  constructor({ base = new URL('v1/', import.meta.url), user = '', headers = () => ({}) } = {}) {
    this.base = new URL(base, location.href);
    this.user = user;
    this.#headers = headers;
  }

  sale(id) { return new Sale(this, id); }

  rain(id) { return new Rain(this, id); }

  /** The server's time in milliseconds since 1970; this machine's until an answer told it. */
  now() {
    const [low, high] = this.#offset;
    return ticks() + (low === -Infinity ? 0 : (low + high) / 2);
  }

  /** The server read this time after `since`. Each one narrows its clock's offset. */
  learn(serverTime, since) {
    const told = [serverTime - ticks(), serverTime - since];
    const both = [Math.max(told[0], this.#offset[0]), Math.min(told[1], this.#offset[1])];
    this.#offset = both[0] <= both[1] ? both : told; // A clock was set.
  }

  /** Calls once. Throws RushProblem, or another error where no whole answer came. */
  async call(path, { headers, signal, ...more } = {}) {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL(path, this.base), {
      ...more, cache: 'no-store', credentials: 'omit',
      headers: { ...await this.#headers(), ...headers },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (response.ok) return response.status === 204 || response.json();
    throw new RushProblem(response.status, await response.json().catch(() => ({})),
      Number(response.headers.get('Retry-After')) || 0);
  }

  /** Sends a change under one key until its outcome is known. `onUnknown` hears while it is not. */
  async send(path, body, { onUnknown = () => {}, signal } = {}) {
    const slot = this.slot(path);
    const kept = store.get(slot);
    if (kept && kept.body !== body) throw new Error('settle() the one under way first');
    // What is found may have been sent.
    const sent = kept ? { ...kept, unknown: true } : { key: newKey(), body, at: Date.now() };
    store.set(slot, sent);
    const headers = { 'Idempotency-Key': sent.key };
    if (body) headers['Content-Type'] = 'application/json';
    for (let tries = 0, began = ticks(); ; tries++) {
      try {
        const granted = await this.call(path, { method: 'POST', headers, body, signal });
        store.delete(slot);
        return granted;
      } catch (error) {
        if (!(error instanceof RushProblem) || error.isUnknown) {
          sent.unknown = true;
          store.set(slot, sent);
          onUnknown(sent, error);
        } else if (!this.#passes(error) || !sent.unknown && ticks() - began > GIVE_UP_MS) {
          const says = error.status < 500 && error.word && !BEFORE_THE_KEY.includes(error.status);
          if (says || !sent.unknown) store.delete(slot);
          throw error;
        }
        await pause(backoff(tries, error.retryAfter), signal);
      }
    }
  }

  #passes({ word, data }) {
    return PASSING.includes(word)
      || word === 'not-open' && Date.parse(data.opensAt) - this.now() < 1000;
  }

  /** Where the key of a call is stored. */
  slot(path) { return `rush:${this.user}:${path}`; }
}

/** What sales and rains have in common. */
class Offer {
  constructor(rush, path, changes) {
    this.rush = rush;
    this.path = path;
    this.changes = `${path}/${changes}`;
  }

  /** The present view. */
  async view() {
    const since = ticks();
    const view = await this.rush.call(this.path);
    this.rush.learn(Date.parse(view.asOf), since - 1000); // It may be a second old.
    return view;
  }

  /** Shows the view and each change. `onLost` hears of a lost connection. Returns a stop. */
  watch(show, onLost = () => {}) {
    let source, timer, since, stopped;
    const open = () => {
      since = ticks();
      source = new EventSource(new URL(`${this.path}/events`, this.rush.base));
      source.onmessage = ({ data }) => {
        const view = JSON.parse(data);
        this.rush.learn(Date.parse(view.serverTime), since);
        show(view);
      };
      source.onerror = () => {
        since = ticks();
        onLost();
        // Refused (429, 503) rather than cut: read once, and come again later.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(read, backoff(2));
      };
    };
    const read = async () => {
      const wait = await this.view().then(view => { show(view); }, error => error.retryAfter);
      if (!stopped) timer = setTimeout(open, backoff(3, wait));
    };
    open();
    return () => { stopped = true; source.close(); clearTimeout(timer); };
  }

  /** Waits for the opening and up to `jitter` ms more, to spread the crowd. */
  async opened({ jitter = 500, signal } = {}) {
    const view = await this.view();
    const at = (Date.parse(view.opensAt || view.startsAt) || 0) + Math.random() * jitter;
    for (let left; (left = at - this.rush.now()) > 0;) await pause(Math.min(left, 1000), signal);
  }

  /** What was sent and has no known outcome (`key`, `body`, `at`), or null. */
  pending() { return store.get(this.rush.slot(this.changes)); }
}

export class Sale extends Offer {
  constructor(rush, id) { super(rush, `sales/${id}`, 'purchases'); }

  /** Buys all of `[{ sku, quantity }]` or nothing. Returns the order. */
  buy(items, options) { return this.rush.send(this.changes, JSON.stringify({ items }), options); }

  /**
   * What became of a purchase that an earlier page sent: a recent one is sent again, as its buyer
   * asked, an older one only looked up. Returns the order or null.
   */
  async settle(options) {
    const sent = this.pending();
    if (!sent) return null;
    if (Date.now() - sent.at < FRESH_MS) return this.rush.send(this.changes, sent.body, options);
    const { orders } = await this.rush.call(`${this.path}/orders?key=${sent.key}`);
    store.delete(this.rush.slot(this.changes));
    return orders[0] || null;
  }

  /** My orders, newest first. */
  async orders() { return (await this.rush.call(`${this.path}/orders`)).orders; }

  /** Shows an order whenever its status changes, until that is final. */
  async follow(order, show, signal) {
    for (let status, tries = 0; !FINAL.includes(status); tries++) {
      let wait;
      try {
        const found = await this.rush.call(`${this.path}/orders/${order}`, { signal });
        if (found.status !== status) {
          status = found.status;
          tries = 0;
          show(found);
        }
      } catch (error) {
        if (error.status < 500 && error.status !== 429) throw error;
        wait = error.retryAfter;
      }
      await pause(backoff(tries, wait), signal);
    }
  }
}

export class Rain extends Offer {
  constructor(rush, id) { super(rush, `rains/${id}`, 'grabs'); }

  /** Grabs the next envelope, or learns of the one that an earlier page grabbed. */
  grab(options) { return this.rush.send(this.changes, undefined, options); }

  /** My grabs, newest first. */
  async grabs() { return (await this.rush.call(this.changes)).grabs; }

  /** The users with the highest sums. */
  async leaderboard(top = 10) {
    return (await this.rush.call(`${this.path}/leaderboard?top=${top}&by=user`)).entries;
  }
}

/** A clock that nobody sets. */
function ticks() { return performance.timeOrigin + performance.now(); }

/** Random, so that those who failed together do not come again together. */
function backoff(tries, retryAfter = 0) {
  return retryAfter * 1000 + (0.5 + Math.random() / 2) * Math.min(500 * 2 ** tries, BACKOFF_MAX_MS);
}

function pause(milliseconds, signal) {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
}

/** 128 random bits; randomUUID would need https. */
function newKey() {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** The browser's storage; where it is switched off, a key lasts as long as its page. */
function stored(method, ...values) {
  try { return localStorage[method](...values); } catch { return null; }
}

const store = {
  get: slot => JSON.parse(stored('getItem', slot)),
  set: (slot, sent) => stored('setItem', slot, JSON.stringify(sent)),
  delete: slot => stored('removeItem', slot),
};

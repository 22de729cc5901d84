/**
 * Rush's browser client: see docs/guides/browser-client.md. A purchase's key is stored until its
 * outcome is known, even across reloads, so no retry buys twice.
 */
const TIMEOUT_MS = 15_000;
const BACKOFF_MAX_MS = 10_000;
const GIVE_UP_MS = 30_000;
/** An older purchase is looked up, not resent. */
const FRESH_MS = 120_000;
/** Nothing happened: retry. */
const PASSING = ['unavailable', 'backlogged', 'rate-limited'];
/** Refused before the key lookup: an earlier attempt may have succeeded. */
const BEFORE_THE_KEY = [400, 401, 403, 408, 413, 415, 429];
const FINAL = ['confirmed', 'rejected', 'expired', 'returned'];

/** A refusal or failure: `code` is its type (`sold-out`), `data` the full problem. */
export class RushProblem extends Error {
  constructor(status, data, retryAfter = 0) {
    super(data.detail || `HTTP ${status}`);
    this.status = status;
    this.data = data;
    this.code = String(data.type || '').split('/').pop();
    this.retryAfter = retryAfter;
  }

  /** Whether the call may have taken effect anyway. */
  get isUnknown() {
    return this.status >= 500
      && ![...PASSING, 'not-loaded', 'not-implemented'].includes(this.code);
  }
}

export class Rush {
  #headers;
  #offset = [-Infinity, Infinity];

  /** `user` separates stored keys; `headers` returns identity headers, or a promise. */
  constructor({ base = new URL('v1/', import.meta.url), user = '', headers } = {}) {
    this.base = new URL(base, location.href);
    this.user = user;
    this.#headers = headers;
  }

  sale(id) { return new Sale(this, id); }

  rain(id) { return new Rain(this, id); }

  /** The server's time in ms since 1970; local time before the first answer. */
  now() {
    const [low, high] = this.#offset;
    return ticks() + ((low + high) / 2 || 0);
  }

  /** The server read its clock after `since`. Each reading narrows the offset. */
  learn(serverTime, since) {
    const read = [serverTime - ticks(), serverTime - since];
    const both = [Math.max(read[0], this.#offset[0]), Math.min(read[1], this.#offset[1])];
    this.#offset = both[0] <= both[1] ? both : read; // A clock was set.
  }

  /** Calls once. Throws RushProblem, or another error without a complete answer. */
  async call(path, options) { return answer(await this.request(path, options)); }

  /** Built before sending: an error here leaves no unknown outcome. */
  async request(path, { headers, signal, ...more } = {}) {
    const all = { ...await this.#headers?.(), ...headers };
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    return new Request(new URL(path, this.base), { ...more, headers: all, cache: 'no-store',
      credentials: 'omit', signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
  }

  /**
   * Sends a change under one key until its outcome is known; calls `onUnknown` while it is not.
   * Long after `at` it is looked up in `orders` instead: null if it is missing.
   */
  async send(path, body, { onUnknown, signal } = {}, orders, at = Date.now()) {
    const slot = this.slot(path);
    const kept = store.get(slot);
    if (kept && kept.body !== body) throw new Error('settle() the pending one first');
    const sent = kept ? { ...kept, at, unknown: true } // It may have been sent.
      : { key: crypto.getRandomValues(new Uint32Array(4)).join('-'), body, at };
    store.set(slot, sent);
    const headers = { 'Idempotency-Key': sent.key, 'Content-Type': 'application/json' };
    for (let tries = 0, began = ticks(); ; tries++) {
      const isOld = orders && sent.unknown && Date.now() - at > FRESH_MS;
      let request;
      try {
        request = await (isOld ? this.request(`${orders}?key=${sent.key}`, { signal })
          : this.request(path, { method: 'POST', headers, body, signal }));
      } finally {
        if (!request && !sent.unknown) store.delete(slot, sent);
      }
      try {
        let found = await answer(request);
        if (isOld) found = found.orders[0] || null;
        store.delete(slot, sent);
        return found;
      } catch (error) {
        if (!(error instanceof RushProblem) || error.isUnknown) {
          sent.unknown = true;
          store.set(slot, sent);
          onUnknown?.(sent, error);
        } else if (!this.#passes(error) || !sent.unknown && ticks() - began > GIVE_UP_MS) {
          const known = error.status < 500 && error.code && !BEFORE_THE_KEY.includes(error.status);
          // Another tab may have sent it too.
          if (known || !store.get(slot)?.unknown) store.delete(slot, sent);
          throw error;
        }
        await pause(backoff(tries, error.retryAfter), signal);
      }
    }
  }

  #passes({ code, data }) {
    return PASSING.includes(code)
      || code === 'not-open' && Date.parse(data.opensAt) - this.now() < 1000;
  }

  slot(path) { return `rush:${this.base}:${this.user}:${path}`; }
}

class Offer {
  constructor(rush, kind, id, changes) {
    this.rush = rush;
    this.path = `${kind}/${encodeURIComponent(id)}`;
    this.changes = `${this.path}/${changes}`;
  }

  async view() {
    const since = ticks();
    const view = await this.rush.call(this.path);
    this.rush.learn(Date.parse(view.asOf), since - 1000); // Up to a second old.
    return view;
  }

  /** Shows the view and each change. Returns a function that stops. */
  watch(show, onLost) {
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
        onLost?.();
        // Refused (429, 503), not cut.
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

  /** Waits for the opening plus up to `jitter` ms, to spread the crowd. */
  async opened({ jitter = 500, signal } = {}) {
    const view = await this.view();
    const at = (Date.parse(view.opensAt || view.startsAt) || 0) + Math.random() * jitter;
    for (let left; (left = at - this.rush.now()) > 0;) await pause(Math.min(left, 1000), signal);
  }

  /** The request with an unknown outcome (`key`, `body`, `at`), or null. */
  pending() { return store.get(this.rush.slot(this.changes)); }
}

export class Sale extends Offer {
  constructor(rush, id) { super(rush, 'sales', id, 'purchases'); }

  /** Buys all of `[{ sku, quantity }]` or nothing. Returns the order. */
  async buy(items, options) {
    const order = await this.#send(JSON.stringify({ items }), options);
    if (order) return order;
    throw new RushProblem(404,
      { type: 'unknown-order', detail: 'There is no order under this key.' });
  }

  /** The result of an earlier page's purchase: the order or null. */
  async settle(options) {
    const sent = this.pending();
    return sent && this.#send(sent.body, options, sent.at);
  }

  #send(body, options, at) {
    return this.rush.send(this.changes, body, options, `${this.path}/orders`, at);
  }

  async orders() { return (await this.rush.call(`${this.path}/orders`)).orders; }

  /** Shows an order at each status change, until it is final. */
  async follow(orderId, show, signal) {
    const path = `${this.path}/orders/${encodeURIComponent(orderId)}`;
    for (let status, tries = 0; !FINAL.includes(status); tries++) {
      const found = await answer(await this.rush.request(path, { signal })).catch(error => {
        if (error.status < 500 && error.status !== 429) throw error;
        return error;
      });
      if (found.order && found.status !== status) {
        status = found.status;
        tries = 0;
        show(found);
      }
      await pause(backoff(tries, found.retryAfter), signal);
    }
  }
}

export class Rain extends Offer {
  constructor(rush, id) { super(rush, 'rains', id, 'grabs'); }

  /** Grabs an envelope, or finishes an earlier page's grab. */
  grab(options) { return this.rush.send(this.changes, undefined, options); }

  async grabs() { return (await this.rush.call(this.changes)).grabs; }

  async leaderboard(top = 10) {
    return (await this.rush.call(`${this.path}/leaderboard?top=${top}&by=user`)).entries;
  }
}

async function answer(request) {
  const response = await fetch(request);
  if (response.ok) return response.status === 204 || response.json();
  throw new RushProblem(response.status, await response.json().catch(() => ({})),
    +response.headers.get('Retry-After') || 0);
}

/** A monotonic clock. */
function ticks() { return performance.timeOrigin + performance.now(); }

/** Jitter spreads a crowd that returns. */
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

/** Pending keys. If storage is off or full, they last as long as the page. */
const memory = {};
let disk;
try { disk = localStorage; } catch { /* Off. */ }

const store = {
  get: slot => memory[slot] || disk && JSON.parse(disk.getItem(slot)) || null,
  set(slot, sent) {
    if ((store.get(slot) || sent).key !== sent.key) return; // Another tab's.
    try { disk.setItem(slot, JSON.stringify(sent)); } catch { memory[slot] = sent; }
  },
  delete(slot, sent) {
    if (store.get(slot)?.key !== sent.key) return;
    delete memory[slot];
    disk?.removeItem(slot);
  },
};

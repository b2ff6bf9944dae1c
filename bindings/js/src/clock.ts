// Time, as a peer needs it.

/** A source of time. Tests bring their own. */
export interface Clock {
  /** Nanoseconds, whole, from any start; it never goes back. */
  now(): number;
  /** Runs fn once, at least delayMs from now, at most 2^31-1; the result cancels it. */
  after(delayMs: number, fn: () => void): () => void;
  /** Runs fn once what lies in the transports has been delivered (CALL-3). */
  hop(fn: () => void): void;
}

/** The longest delay that setTimeout takes; it would run a longer one at once. */
export const delayMsMax = 2 ** 31 - 1;

/** Monotonic time of the system, and its timers. */
export const systemClock: Clock = {
  now: () => Math.floor(performance.now() * 1e6),
  after: (delayMs, fn) => {
    const timer = setTimeout(fn, delayMs);
    return () => clearTimeout(timer);
  },
  hop,
};

/**
 * Two steps of the event loop. One is not enough: a step that begins while one socket or pipe is read
 * may end before the next one is looked at.
 */
function hop(fn: () => void): void {
  step(() => step(fn));
}

/** In Node the check phase, which follows the reading of sockets and pipes; elsewhere a task of its own. */
function step(fn: () => void): void {
  if (typeof setImmediate === 'function') {
    setImmediate(fn);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    fn();
  };
  port2.postMessage(undefined);
}

/** One timer on a clock. Its time is absolute, in nanoseconds, and may be any distance away. */
export class Alarm {
  #time = Infinity;
  #cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly ring: () => void,
  ) {}

  /** Moves the alarm; Infinity stops it. */
  set(time: number): void {
    if (time === this.#time) return;
    this.#time = time;
    this.#cancel?.();
    this.#cancel = undefined;
    if (time !== Infinity) this.#arm();
  }

  #arm(): void {
    const delayMs = Math.ceil(Math.max(this.#time - this.clock.now(), 0) / 1e6);
    this.#cancel = this.clock.after(Math.min(delayMs, delayMsMax), () => {
      if (delayMs > delayMsMax) return this.#arm();
      this.#time = Infinity;
      this.ring();
    });
  }
}

// Whether the other side of a socket is still there, as far as one who cannot ping can know (RESUME-10).

import { Alarm, type Clock } from '../clock.js';

/** The silence, in intervals between two signs of life, behind which a socket is lost. */
const intervalsMax = 2.5;

/** Rings when nothing was heard for too long on the socket there is. */
export class Silence {
  /** 0: it never rings. */
  readonly maxMs: number;
  readonly #alarm: Alarm;
  #isPromised = false; // a sign of life has come in this session: the other side gives them
  #dueAt = Infinity; // Infinity: nothing is waited for

  constructor(
    private readonly clock: Clock,
    beatMs: number,
    private readonly ring: () => void,
  ) {
    this.maxMs = beatMs * intervalsMax;
    // A page that has slept finds its alarm and what came meanwhile at once: what came counts (CALL-3).
    this.#alarm = new Alarm(clock, () => clock.hop(() => this.#judge()));
  }

  /** Something was heard on the socket, a sign of life or more; the first text, a greeting, is not told. */
  hears(isBeat: boolean): void {
    if (this.maxMs === 0) return;
    this.#isPromised ||= isBeat;
    if (!this.#isPromised) return;
    const isWaiting = this.#dueAt !== Infinity;
    this.#dueAt = this.clock.now() + this.maxMs * 1e6;
    if (!isWaiting) this.#alarm.set(this.#dueAt); // one timer for many texts: it looks again when it rings
  }

  /** The socket has been left. */
  stop(): void {
    this.#dueAt = Infinity;
    this.#alarm.set(Infinity);
  }

  #judge(): void {
    if (this.clock.now() >= this.#dueAt) this.ring();
    else this.#alarm.set(this.#dueAt);
  }
}

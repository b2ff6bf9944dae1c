// Time as the machine is told it: an answer that has arrived beats a deadline noticed later (CALL-3).

import { TimerKind } from './abi.gen.js';
import type { Clock } from './clock.js';
import type { Machine } from './machine.js';

const holdNsMax = 10e6; // and no longer than that, nor for more than one frame

/** Keeps time from passing a call's deadline until what lies in the transport has been delivered. */
export class Hold {
  #since = 0; // when it began; 0: nothing is held
  #isOver = false;
  #receivedBytes = 0; // since it began
  #hoppedBytes = 0; // of them, before the last hop

  constructor(
    private readonly clock: Clock,
    private readonly frameBytesMax: number,
    private readonly turn: () => void,
  ) {}

  /** A turn will come by itself; no alarm is needed. */
  get isHolding(): boolean {
    return this.#since !== 0 && !this.#isOver;
  }

  /** Bytes have arrived: where they go on arriving, the hold does. */
  received(bytes: number): void {
    this.#receivedBytes += bytes;
  }

  /** What a turn tells the machine: the time, or, while a call's deadline is held, the instant before it. */
  time(machine: Machine): number {
    const now = this.clock.now();
    const { deadline } = machine;
    if (machine.timer !== TimerKind.Call || deadline > now) return Math.min(deadline, now); // a call's deadline behind another's gets its own hold
    if (this.#isOver) return this.#since;
    if (this.#since === 0) this.#begin(now);
    return deadline - 1;
  }

  #begin(now: number): void {
    this.#since = now;
    this.#receivedBytes = this.#hoppedBytes = 0;
    this.#hop();
  }

  #hop(): void {
    this.clock.hop(() => {
      const isArriving = this.#receivedBytes > this.#hoppedBytes && this.#receivedBytes < this.frameBytesMax;
      if (isArriving && this.clock.now() < this.#since + holdNsMax) {
        this.#hoppedBytes = this.#receivedBytes;
        return this.#hop();
      }
      this.#isOver = true; // in this turn, whoever is still unanswered
      this.turn();
      this.#isOver = false;
      this.#since = 0;
    });
  }
}

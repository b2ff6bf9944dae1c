// Time as the machine is told it: an answer that has arrived beats a deadline noticed later (CALL-3).

import { TimerKind } from './abi.gen.js';
import type { Clock } from './clock.js';
import type { Machine } from './machine.js';

/** Keeps time from passing a call's deadline until what lies in the transport has been delivered. */
export class Hold {
  #since = 0; // when it began; 0: nothing is held
  #isOver = false;

  constructor(
    private readonly clock: Clock,
    private readonly turn: () => void,
  ) {}

  /** A turn will come by itself; no alarm is needed. */
  get isHolding(): boolean {
    return this.#since !== 0;
  }

  /** Tells the machine the time, or, while a call's deadline is held, the instant before it. */
  advance(machine: Machine): void {
    const now = this.clock.now();
    const { deadline } = machine;
    if (machine.timer !== TimerKind.Call || deadline > now) {
      machine.advance(Math.min(deadline, now)); // a call's deadline behind another's gets its own hold
    } else if (this.#isOver) {
      machine.advance(this.#since);
      this.#since = 0;
      this.#isOver = false;
    } else {
      if (this.#since === 0) this.#begin(now);
      machine.advance(deadline - 1);
    }
  }

  #begin(now: number): void {
    this.#since = now;
    this.clock.hop(() => {
      this.#isOver = true;
      this.turn();
    });
  }
}

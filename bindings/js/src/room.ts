// The line of commands that found the output queue full.

import { UsageError } from './abi.gen.js';
import { Alarm, type Clock } from './clock.js';
import type { Owed } from './deferred.js';
import { CallError } from './faults.js';

/** A command that may need room. */
export interface Command {
  op: string;
  method: string;
  signal: AbortSignal | undefined;
  /** When it gives up, in nanoseconds on the session's clock. */
  deadline: number;
  outcome: Owed;
  /** Tries: false while there is no room. In any other case it has settled outcome, or what stands behind it. */
  attempt(): boolean;
}

interface Place {
  command: Command;
  leave(): void;
}

/** First come, first served; a newcomer joins at the end even when it would fit (SEND-2). */
export class Room {
  readonly #line: Place[] = [];

  /** firstLeft is told when the one in front gave up: there may be room for the next. */
  constructor(
    private readonly clock: Clock,
    private readonly firstLeft: () => void,
  ) {}

  get isEmpty(): boolean {
    return this.#line.length === 0;
  }

  join(command: Command): void {
    const { op, method, signal, deadline, outcome } = command;
    const giveUp = (code: UsageError, cause?: unknown): void => {
      const isFirst = this.#line[0] === place;
      place.leave();
      outcome.reject(new CallError({ op, method, code, cause }));
      if (isFirst) this.firstLeft();
    };
    const aborted = (): void => giveUp(UsageError.Canceled, signal?.reason);
    const alarm = new Alarm(this.clock, () => giveUp(UsageError.Timeout));
    const place: Place = {
      command,
      leave: () => {
        this.#line.splice(this.#line.indexOf(place), 1);
        alarm.set(Infinity);
        signal?.removeEventListener('abort', aborted);
      },
    };
    this.#line.push(place);
    alarm.set(deadline);
    signal?.addEventListener('abort', aborted, { once: true });
  }

  /** Lets the first ones try until one finds no room; how many went. */
  serve(): number {
    let served = 0;
    for (let first = this.#line[0]; first?.command.attempt(); first = this.#line[0]) {
      first.leave();
      served++;
    }
    return served;
  }
}

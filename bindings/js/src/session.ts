// What the parts of a peer ask of it.

import type { Owed } from './deferred.js';
import type { Machine } from './machine.js';

/** A command, ready to be run when there is room; deadline is when it gives up, in nanoseconds. */
export interface Prepared {
  deadline: number;
  run: (machine: Machine) => void;
}

export interface Session {
  /**
   * Gives the machine a command that may need room, now or when its turn comes; whatever refuses it
   * rejects outcome, and a throw of prepare does. Nothing of a command that gave up has been copied.
   */
  send(outcome: Owed, op: string, method: string, signal: AbortSignal | undefined, prepare: () => Prepared): void;
  /** Says what the application's own code threw. */
  report(error: unknown, where: string): void;
}

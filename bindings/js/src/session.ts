// What the parts of a peer ask of it.

import type { Deferred, Owed } from './deferred.js';
import type { SessionError } from './faults.js';
import type { Machine } from './machine.js';

/** A command, ready to be run when there is room; deadline is when it gives up, in nanoseconds. */
export interface Prepared {
  deadline: number;
  run: (machine: Machine) => void;
}

export interface Session {
  /** A promise to a caller, which dispose forgives. */
  owe<T>(): Deferred<T>;
  /**
   * Gives the machine a command that may need room, now or when its turn comes; whatever refuses it
   * rejects outcome, and a throw of prepare does. Nothing of a command that gave up has been copied.
   */
  send(outcome: Owed, op: string, method: string, signal: AbortSignal | undefined, prepare: () => Prepared): void;
  /** Makes an input that needs no room. It changes nothing where the session is over. */
  input(f: (machine: Machine) => void): void;
  /** Why a verb is too late. It never rejects. */
  why(): Promise<SessionError>;
  /** Runs caller code later, since none runs in a turn (API-9); what it throws is reported. */
  later(fn: () => void, where: string): void;
  /** Says what the application's own code threw. */
  report(error: unknown, where: string): void;
}

// Waiting for what has been accepted to be written (API-8).

import { OutputPhase } from './abi.gen.js';
import type { Deferred, Owed } from './deferred.js';
import type { State } from './inspect.js';

export class Flushes {
  #waiting: { offset: number; done: Deferred<void> }[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(state: State, done: Deferred<void>): void {
    this.#waiting.push({ offset: state.acceptedBytes, done });
  }

  /** Resolves those that have come true, and hands those that never will to lost. */
  settle({ writtenBytes, acceptedBytes, output }: State, lost: (done: Owed) => void): void {
    this.#waiting = this.#waiting.filter(({ offset, done }) => {
      // Frames that were withdrawn are never written: written is also what nothing follows.
      const isWritten = writtenBytes >= Math.min(offset, acceptedBytes);
      const isHopeless = output === OutputPhase.Failed;
      if (isWritten) done.resolve();
      else if (isHopeless) lost(done);
      return !isWritten && !isHopeless;
    });
  }

  loseAll(lost: (done: Owed) => void): void {
    for (const { done } of this.#waiting.splice(0)) lost(done);
  }
}

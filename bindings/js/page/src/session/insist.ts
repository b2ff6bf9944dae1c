// What the page cannot go on without is asked for again, as long as that may help (BRIDGE-9).

import { Backoff } from '../../../src/transports/backoff.js';
import { BridgeError } from '../access.js';
import { lineOf } from '../frame/notices.js';
import type { Pill } from './pill.js';

/**
 * Resolves with what get brings. After a failure that may pass it waits, longer each time, and says so
 * in the pill; after the last attempt only the person can go on. Rejects with what will not pass, and
 * with the signal's reason.
 */
export async function insist<T>(pill: Pill, what: string, get: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const backoff = new Backoff({});
  for (;;) {
    try {
      return await get();
    } catch (error) {
      if (!mayPass(error)) throw error;
      const why = lineOf(error);
      const delayMs = backoff.next();
      const wait = new Wait(delayMs, signal);
      if (delayMs !== undefined) {
        pill.show('waiting', `No ${what} yet, trying again`, why, { label: 'Retry now', run: wait.end });
      } else {
        backoff.reset();
        pill.show('closed', `No ${what}: ${why}`, why, { label: 'Try again', run: wait.end });
      }
      pill.offer();
      await wait.over;
    }
  }
}

/** A TypeError is what a browser makes of a connection that is refused, or cut in the middle of an answer. */
function mayPass(error: unknown): boolean {
  return error instanceof BridgeError ? error.status === 0 || error.status >= 500 : error instanceof TypeError;
}

/** A wait that time, the person or the network that is back ends. */
class Wait {
  readonly over: Promise<void>;
  end!: () => void;

  /** delayMs: undefined waits for the person or the network alone. */
  constructor(delayMs: number | undefined, signal: AbortSignal | undefined) {
    this.over = new Promise((resolve, reject) => {
      const done = new AbortController();
      this.end = (): void => {
        done.abort();
        resolve();
      };
      addEventListener('online', this.end, { signal: done.signal });
      const timer = delayMs === undefined ? undefined : setTimeout(this.end, delayMs);
      done.signal.addEventListener('abort', () => clearTimeout(timer));
      const abort = (): void => {
        done.abort();
        reject(signal?.reason);
      };
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { signal: done.signal });
    });
  }
}

// Why a session ended: found out once, told to everybody who asks.

import { Reason } from './abi.gen.js';
import type { Clock } from './clock.js';
import { SessionError } from './faults.js';
import type { Transport } from './transport.js';

const explainMs = 500; // how long an error waits for Transport.explain (STOP-4)

export class Ending {
  /** Why, once the reason is known. It never rejects. */
  error: Promise<SessionError> | undefined;

  constructor(private readonly clock: Clock) {}

  /** Starts to find out more; the first reason stays. */
  begin(reason: Reason, cause: unknown, transport: Transport): Promise<SessionError> {
    this.error ??= this.#describe(reason, cause, transport);
    return this.error;
  }

  async #describe(reason: Reason, cause: unknown, transport: Transport): Promise<SessionError> {
    const isOurDoing = reason === Reason.Shutdown || reason === Reason.Aborted;
    const explained = isOurDoing ? undefined : transport.explain?.().catch((error: unknown) => String(error));
    if (explained === undefined) return new SessionError(reason, cause);
    let stop = (): void => undefined;
    const silence = new Promise<string>((resolve) => {
      stop = this.clock.after(explainMs, () => resolve(''));
    });
    const detail = await Promise.race([explained, silence]);
    stop();
    return new SessionError(reason, cause, detail);
  }
}

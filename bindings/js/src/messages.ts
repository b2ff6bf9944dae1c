// What the peer asks and tells, where no handler takes it (API-4).

import { Code, UsageError } from './abi.gen.js';
import { RefusedError } from './errors.js';
import type { MachineEvent } from './event.js';
import { encode, Json } from './json.js';
import type { Machine } from './machine.js';
import type { Session } from './session.js';

/** A request or notification of the peer's. */
export class Message {
  constructor(
    readonly method: string,
    /** undefined where the peer sent none. */
    readonly params: Json | undefined,
    private readonly inbox: Inbox,
    private readonly req: number,
  ) {}

  /** Whether the peer waits for an answer: reply or fail, once. */
  get isRequest(): boolean {
    return this.req !== 0;
  }

  /** Answers a request; undefined is null. It resolves when the answer is in the queue (REQ-2, API-8). */
  reply(value: unknown): Promise<void> {
    return this.inbox.answer('reply', this.method, this.req, () => {
      const result = encode(value ?? null)!;
      return (machine) => machine.reply(this.req, result);
    });
  }

  /** Answers a request with an error. */
  fail(code: Code | number, text: string, data?: unknown): Promise<void> {
    return this.inbox.answer('fail', this.method, this.req, () => {
      const body = encode(data);
      return (machine) => machine.fail(this.req, code, text, body);
    });
  }
}

/** Between the machine, which delivers against credit, and the one consumer, who grants it. */
export class Inbox {
  isClaimed = false; // there has been a consumer
  isConsumed = false; // and it is still there
  readonly #unanswered = new Set<number>();
  #waiting: Message[] = [];
  #wake: (() => void) | undefined;
  #end: { error: unknown } | undefined;
  #isDiscarding = false;

  constructor(private readonly session: Session) {}

  deliver(event: MachineEvent, machine: Machine): void {
    if (event.req !== 0) this.#unanswered.add(event.req);
    if (this.#isDiscarding) return this.#refuse(machine);
    const params = event.bodyText;
    this.#waiting.push(new Message(event.method, params === undefined ? undefined : new Json(params), this, event.req));
    this.#notify();
  }

  answer(op: string, method: string, req: number, prepare: () => (machine: Machine) => void): Promise<void> {
    const sent = this.session.owe<void>();
    this.session.send(sent, op, method, undefined, () => {
      if (req === 0) throw new RefusedError(UsageError.NotRequest);
      const command = prepare();
      return {
        deadline: Infinity,
        run: (machine) => {
          command(machine);
          this.#unanswered.delete(req);
          sent.resolve();
        },
      };
    });
    return sent.promise;
  }

  /** Nobody will fetch or answer messages any more: what is open is refused, what comes is dropped. */
  discard(machine: Machine): void {
    this.#isDiscarding = true;
    this.#waiting = [];
    this.#refuse(machine);
  }

  /** No more will come; error is undefined after a clean end. */
  end(error: unknown): void {
    this.#end ??= { error };
    this.#notify();
  }

  /**
   * The next message, undefined after the last one. want asks the machine for one, behind the end too: an
   * end is known before what was retained has been fetched (API-4).
   */
  async next(want: () => void): Promise<Message | undefined> {
    if (this.#waiting.length === 0) want();
    while (this.#waiting.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const message = this.#waiting.shift();
    if (message === undefined && this.#end?.error !== undefined) throw this.#end.error;
    return message;
  }

  /** A request that is not even refused, for want of room, the machine answers at its end (REQ-7). */
  #refuse(machine: Machine): void {
    for (const req of this.#unanswered) {
      try {
        machine.fail(req, Code.Internal, 'the session is closing');
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
      }
    }
    this.#unanswered.clear();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

// One call of ours: what its caller said, and the one outcome that it gets (CALL-3).

import { EventKind, UsageError } from './abi.gen.js';
import type { Deferred } from './deferred.js';
import { RefusedError } from './errors.js';
import type { MachineEvent } from './event.js';
import { CallError, ParseError, RPCError } from './faults.js';
import { encode, Json } from './json.js';
import type { MachineCallOptions } from './machine-inputs.js';

/** The optional parts of a call. */
export interface CallOptions {
  /** Gives the call up; the peer is told as its profile says (CALL-6). */
  signal?: AbortSignal;
  /** Bounds everything, waiting for room included. 0 fails at once; beyond 2^31 ms is fine (CALL-4). */
  timeoutMs?: number;
  /** The wire id, a raw JSON string or integer (CALL-1). */
  id?: string;
  /** Sends no cancel notice. */
  quiet?: boolean;
  /** The raw JSON token that the call's own params name, as the protocol says (CALL-10). */
  progressToken?: string;
  /** Gets the params of each progress notification with that token, before the call's outcome. */
  onProgress?: (params: Json) => void;
  /** Progress restarts the budget with this length, up to budgetMaxMs from the start. */
  extendMs?: number;
  budgetMaxMs?: number;
}

/** One member of a batch. Options of a notification say nothing but how long it may wait for room. */
export interface BatchItem extends CallOptions {
  method: string;
  /** undefined params are not sent. */
  params?: unknown;
  notification?: boolean;
}

/** An accepted or waiting call, until it is settled. */
export class PendingCall<T> {
  isClosing = false; // cancelled by close, not by its caller
  #stopListening: (() => void) | undefined;

  constructor(
    readonly outcome: Deferred<T>,
    readonly method: string,
    readonly options: CallOptions,
    private readonly decode: (result: Json) => T,
  ) {}

  /** Runs fn when the caller gives up, until the call is settled. */
  onAbort(fn: () => void): void {
    const { signal } = this.options;
    if (signal === undefined) return;
    signal.addEventListener('abort', fn, { once: true });
    this.#stopListening = () => signal.removeEventListener('abort', fn);
  }

  /** The outcome that an event tells. A lost call says why the session ended. */
  settle(event: MachineEvent, why: () => Promise<Error>): void {
    const { method } = this;
    const body = (): Json => new Json(event.bodyText ?? 'null');
    switch (event.kind) {
      case EventKind.Result:
        return this.#finish(() => this.outcome.resolve(this.decode(body())));
      case EventKind.Error:
        return this.fail(new RPCError(event.code, text(event.text), event.body && body(), method));
      case EventKind.InvalidAnswer:
        return this.fail(new ParseError(method, body()));
      case EventKind.Timeout:
        return this.#failAs(UsageError.Timeout, text(event.id), undefined, event.count, text(event.text));
      case EventKind.Canceled:
        if (!this.isClosing) return this.#failAs(UsageError.Canceled, text(event.id), this.options.signal?.reason);
    }
    this.lose(why, text(event.id));
  }

  /** The session ended before the answer. */
  lose(why: () => Promise<Error>, id = ''): void {
    void why().then((error) => this.#failAs(UsageError.Closed, id, error));
  }

  fail(error: unknown): void {
    this.#finish(() => this.outcome.reject(error));
  }

  #failAs(code: UsageError, id: string, cause?: unknown, undecidedBytes = 0, undecided = ''): void {
    this.fail(new CallError({ op: 'call', method: this.method, id, code, cause, undecidedBytes, undecided }));
  }

  #finish(tell: () => void): void {
    this.#stopListening?.();
    try {
      tell();
    } catch (error) {
      this.outcome.reject(error);
    }
  }
}

/** The params of a call or notification as JSON text. */
export function encodeParams(op: string, method: string, params: unknown): string | undefined {
  try {
    return encode(params);
  } catch (cause) {
    throw new CallError({ op, method, code: UsageError.BadParams, cause });
  }
}

/** What a call asks of the machine. Its times count from now, so that waiting for room is in the budget. */
export function spell(now: number, options: CallOptions): MachineCallOptions & { deadline: number } {
  const { timeoutMs, extendMs, budgetMaxMs, id, progressToken, quiet = false } = options;
  for (const budget of [timeoutMs, extendMs, budgetMaxMs]) {
    if (budget !== undefined && !(budget >= 0)) throw new RangeError(`parley: a timeout of ${budget} ms; want 0 or more`);
  }
  if (timeoutMs === 0) throw new RefusedError(UsageError.Timeout);
  return {
    deadline: timeAfter(now, timeoutMs ?? Infinity),
    quiet,
    ...(extendMs !== undefined && { extend: timeAfter(0, extendMs), deadlineMax: timeAfter(now, budgetMaxMs ?? 0) }),
    ...(id !== undefined && { id }),
    ...(progressToken !== undefined && { progressToken }),
  };
}

/** A time so far away that a number cannot hold it is never. */
function timeAfter(now: number, milliseconds: number): number {
  const time = now + Math.ceil(milliseconds * 1e6);
  return Number.isSafeInteger(time) ? time : Infinity;
}

const decoder = new TextDecoder();

const text = (bytes: Uint8Array | undefined): string => decoder.decode(bytes);

// The methods that a session serves, and the handlers that run.

import { Mode, UsageError } from './abi.gen.js';
import type { Method } from './config.js';
import type { Owed } from './deferred.js';
import { RefusedError } from './errors.js';
import type { MachineEvent } from './event.js';
import { CallError, RPCError } from './faults.js';
import { encode, Json } from './json.js';
import type { Session } from './session.js';

/** How a method is registered. */
export interface HandleOptions {
  /** read: concurrent, the default of requests. order: one at a time, the default of notifications (SCHED-1). */
  mode?: Mode;
  notification?: boolean;
  /** Member names under params, at most four (SCHED-8). */
  supersede?: readonly string[];
}

/** What a handler is told beside the params. */
export interface HandlerContext {
  method: string;
  /** Aborts when the peer cancels the request, and when the session ends. */
  signal: AbortSignal;
}

/** Answers with what it returns, undefined being null; an RPCError is sent as it is, anything else as -32603. */
export type Handler<P> = (params: Json<P>, context: HandlerContext) => unknown;

/** A handler at work. Most never look at their signal, which costs more to make than to answer. */
class Running implements HandlerContext {
  #controller: AbortController | undefined;
  #cancelled: { reason: unknown } | undefined;

  constructor(readonly method: string) {}

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled !== undefined) this.#controller.abort(this.#cancelled.reason);
    }
    return this.#controller.signal;
  }

  get isCancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  cancel(reason: unknown): void {
    this.#cancelled ??= { reason };
    this.#controller?.abort(reason);
  }
}

interface Route extends HandleOptions {
  fn: Handler<unknown>;
}

/** What a handler came to: JSON text of a result, or what it threw. */
interface Outcome {
  result?: string;
  error?: unknown;
}

export class Handlers {
  readonly #routes = new Map<string, Route>();
  readonly #running = new Map<number, Running>();

  constructor(private readonly session: Session) {}

  get isEmpty(): boolean {
    return this.#routes.size === 0;
  }

  add(method: string, options: HandleOptions, fn: Handler<unknown>): void {
    if (this.#routes.has(method)) throw new Error(`parley: "${method}" is registered already`);
    this.#routes.set(method, { ...options, fn });
  }

  /** The method table of the machine. */
  get table(): Method[] {
    return Array.from(this.#routes, ([name, { mode = Mode.Default, notification = false, supersede = [] }]) => ({
      name,
      mode,
      notification,
      supersede,
    }));
  }

  /** Runs the handler of a message, later, since no caller code runs in a turn (API-9), and answers. */
  serve(event: MachineEvent): void {
    const { req, method } = event;
    const route = this.#routes.get(method)!; // the machine itself answers for methods that are not in its table
    const params = new Json(event.bodyText ?? 'null');
    const running = new Running(method);
    this.#running.set(req, running);
    queueMicrotask(() => void this.#run(route, req, params, running));
  }

  async #run(route: Route, req: number, params: Json, running: Running): Promise<void> {
    const { method } = running;
    let outcome: Outcome;
    try {
      outcome = { result: encode((await route.fn(params, running)) ?? null)! };
    } catch (error) {
      outcome = { error };
    }
    this.#running.delete(req);
    const isAnswer = outcome.error instanceof RPCError && !route.notification;
    if (outcome.error !== undefined && !isAnswer && !running.isCancelled) {
      this.session.report(outcome.error, `handler of "${method}"`);
    }
    answer(this.session, method, req, route.notification ? {} : outcome);
  }

  /** Tells one handler to stop, later. */
  cancel(req: number, reason: unknown): void {
    const running = this.#running.get(req);
    if (running !== undefined) queueMicrotask(() => running.cancel(reason));
  }

  cancelAll(reason: unknown): void {
    for (const req of this.#running.keys()) this.cancel(req, reason);
  }
}

/** Answers and ends the item in one turn. What is unanswered when it ends, the machine answers -32603 (REQ-5). */
function answer(session: Session, method: string, req: number, { result, error }: Outcome): void {
  const sent: Owed = {
    reject: (reason) => {
      // An answer that the peer has cancelled, or that nobody can get any more, is no mistake of the handler's.
      const expected: readonly number[] = [UsageError.Closed, UsageError.Canceled];
      if (!(reason instanceof CallError) || !expected.includes(reason.code)) session.report(reason, `answer of "${method}"`);
    },
  };
  session.send(sent, 'reply', method, undefined, () => ({
    deadline: Infinity,
    run: (machine) => {
      try {
        if (result !== undefined) machine.reply(req, result);
        else if (error instanceof RPCError) machine.fail(req, error.code, error.text, encode(error.data));
      } catch (refused) {
        if (refused instanceof RefusedError && refused.code !== UsageError.OutputFull) machine.done(req);
        throw refused;
      }
      machine.done(req);
    },
  }));
}

// One session: it calls and serves.

import { Code, EventKind, Framing, Inbound, UsageError, type Reason } from './abi.gen.js';
import { encodeParams, spell, type BatchItem, type CallOptions } from './call.js';
import { Calls } from './calls.js';
import { systemClock, type Clock } from './clock.js';
import { Connection } from './connection.js';
import { Debts, Deferred } from './deferred.js';
import type { Engine } from './engine.js';
import { RefusedError } from './errors.js';
import type { MachineEvent } from './event.js';
import { Farewell } from './farewell.js';
import { CallError, RPCError, SessionError, unsent, type CallFailure } from './faults.js';
import { Handlers, type Handler, type HandleOptions } from './handlers.js';
import type { State, Stats } from './inspect.js';
import type { Json } from './json.js';
import type { Machine } from './machine.js';
import { Inbox, type Message } from './messages.js';
import { observation } from './observation.js';
import { limitDefaults, type PeerOptions } from './options.js';
import type { Session } from './session.js';
import { oneLine } from './text.js';
import type { Transport } from './transport.js';

const creditMax = 2 ** 31 - 1;
const graceNsDefault = 5e9; // STOP-2

/**
 * A session that calls and serves. Register handlers, then connect; without any handler, messages
 * yields what the peer asks and tells. Calls and notifications go out in the order they are made, and those
 * that are made before the program gives way (one microtask) in one write.
 */
export class Peer {
  /** Resolves when the session has ended and its transport is closed: with why, where it was no clean end. It never rejects. */
  readonly closed: Promise<SessionError | undefined>;
  readonly #closed = new Deferred<SessionError | undefined>();
  readonly #engine: Engine;
  readonly #options: PeerOptions;
  readonly #clock: Clock;
  readonly #debts = new Debts();
  readonly #farewell: Farewell;
  readonly #calls: Calls;
  readonly #handlers: Handlers;
  readonly #inbox: Inbox;
  #connection: Connection | undefined;
  #closing: Promise<SessionError | CallFailure | undefined> | undefined;
  #isStopping = false;

  /** A peer on an engine, without a transport: nothing is claimed or checked before connect. */
  constructor(engine: Engine, options: PeerOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#farewell = new Farewell(options);
    this.#calls = new Calls(this.#session, this.#clock, this.#farewell);
    this.#handlers = new Handlers(this.#session);
    this.#inbox = new Inbox(this.#session);
    this.closed = this.#closed.promise;
  }

  /** Registers a handler, before connect (REQ-5, SCHED-1). A session with handlers has no messages. */
  handle<P = unknown>(method: string, options: HandleOptions, fn: Handler<P>): this {
    if (this.#connection !== undefined) throw new Error('parley: handlers are registered before connect');
    this.#handlers.add(method, options, fn as Handler<unknown>);
    return this;
  }

  /** Claims the transport and starts the session. A refused configuration is a ConfigError and claims nothing (API-1). */
  connect(transport: Transport): this {
    if (this.#connection !== undefined || this.#isStopping) throw new Error('parley: a peer is connected once');
    const { observe: _, onError: __, clock: ___, ...config } = this.#options;
    const isServing = !this.#handlers.isEmpty;
    const machine = this.#engine.machine({
      ...config,
      ...(transport.isWhole && { framing: Framing.Whole }),
      limits: { ...limitDefaults, ...config.limits },
      inbound: isServing ? Inbound.Handlers : Inbound.Messages,
      methods: this.#handlers.table,
    });
    this.#connection = new Connection(this.#engine, this.#clock, machine, transport, {
      fact: (event, on) => this.#dispatch(event, on),
      over: (reason) => this.#over(reason),
      explained: (error) => this.#inbox.end(error.isClean ? undefined : error),
      closeFailed: (error) => this.#report(error, 'closing the transport'),
    });
    void this.#connection.closed.then(this.#closed.resolve);
    this.#connection.start((on) => (isServing ? on.want(creditMax) : undefined));
    return this;
  }

  // Calls.

  /** Sends a request and resolves with its result, decoded. undefined params are not sent. */
  call<R = unknown>(method: string, params?: unknown, options: CallOptions = {}): Promise<R> {
    return this.#calls.call(method, params, options, (result) => result.value as R);
  }

  /** call with the result as JSON text, decoded when it is looked at. */
  callRaw(method: string, params?: unknown, options: CallOptions = {}): Promise<Json> {
    return this.#calls.call(method, params, options, (result) => result);
  }

  /**
   * Sends calls and notifications as one frame, which only profile plain has (CALL-9). There is one
   * promise an item: a call's outcome, or that the notification is in the queue. While there is no
   * room for the frame, the shortest budget and the first signal that aborts count for all; where it
   * is refused nothing is written, and every item has that error. No items are a RangeError.
   */
  batch(items: readonly BatchItem[]): Promise<unknown>[] {
    if (items.length === 0) throw new RangeError('parley: a batch of nothing');
    return this.#calls.batch(items);
  }

  /**
   * Sends a notification. It resolves when its frame is in the queue (API-8), which may take waiting
   * for room (SEND-2); signal and timeoutMs end the waiting.
   */
  notify(method: string, params?: unknown, options: Pick<CallOptions, 'signal' | 'timeoutMs'> = {}): Promise<void> {
    const sent = this.#debts.owe<void>();
    this.#session.send(sent, 'notify', method, options.signal, () => {
      const text = encodeParams('notify', method, params);
      const { deadline } = spell(this.#clock.now(), options);
      return {
        deadline,
        run: (machine) => {
          machine.notify(method, text);
          this.#farewell.told(method);
          sent.resolve();
        },
      };
    });
    return sent.promise;
  }

  /** Resolves when everything accepted before it has been written (API-8). */
  flush(): Promise<void> {
    const done = this.#debts.owe<void>();
    if (this.#connection === undefined) done.reject(this.#unconnected('flush', ''));
    else this.#connection.flush(done);
    return done.promise;
  }

  /** What the peer asks and tells, in arrival order, once, for one consumer; it throws where the session ends badly (API-4). */
  async *messages(): AsyncGenerator<Message, void, undefined> {
    if (!this.#handlers.isEmpty || this.#inbox.isClaimed) {
      throw new CallError({ op: 'messages', method: '', code: UsageError.Unsupported });
    }
    this.#inbox.isClaimed = this.#inbox.isConsumed = true;
    try {
      for (;;) {
        const message = await this.#inbox.next(() => this.#session.input((machine) => machine.want(1)));
        if (message === undefined) return;
        yield message;
      }
    } finally {
      this.#inbox.isConsumed = false;
      if (this.#isStopping) this.#session.input((machine) => this.#discardMessages(machine));
    }
  }

  /**
   * Tells the version that a session of profile MCP has negotiated; '' while a client negotiates. It
   * decides whether batches are accepted and which messages an era has (MSG-8, ERA-7). In another
   * profile, or after the end, it throws a RefusedError.
   */
  setVersion(version: string): void {
    this.#connected().command((machine) => machine.setVersion(version));
  }

  // The end.

  /** Ends the session in order: what runs and what is owed gets Config.graceNs and shutdownNs (STOP-2). Resolves as closed does. */
  shutdown(): Promise<SessionError | undefined> {
    return this.#stop((machine) => {
      machine.shutdown();
      if (!this.#inbox.isConsumed) this.#discardMessages(machine);
    });
  }

  /**
   * shutdown by an owner who wants no more of the session: open calls fail as Closed, and the peer is
   * told of their cancelling. A client of profile LSP whose server has answered the handshake first
   * sends shutdown, waits for its answer at most Config.graceNs, and sends exit (STOP-10). Resolves as
   * closed does, or else with why the server did not take leave. It is repeatable.
   */
  close(): Promise<SessionError | CallFailure | undefined> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<SessionError | CallFailure | undefined> {
    const failure = await this.#takeLeave();
    const end = await this.#stop((machine) => {
      machine.shutdown();
      this.#calls.cancelAll(machine);
      this.#discardMessages(machine);
    });
    return end ?? failure;
  }

  /** What is still due of shutdown and exit. Neither makes close wait longer than the grace. */
  async #takeLeave(): Promise<CallFailure | undefined> {
    const { shutdown, exit } = this.#farewell.due;
    if (exit === undefined || this.#isStopping || this.#connected().isOver) return undefined;
    const endNs = this.#clock.now() + (this.#options.graceNs ?? graceNsDefault);
    const left = (): { timeoutMs: number } => ({ timeoutMs: Math.max(0, endNs - this.#clock.now()) / 1e6 });
    try {
      if (shutdown !== undefined) await this.callRaw(shutdown, undefined, left());
      await this.notify(exit, undefined, left());
      return undefined;
    } catch (error) {
      return error as CallFailure; // what calls reject with
    }
  }

  /** Ends everything at once. What is open is rejected, and nobody has to catch it. */
  async dispose(): Promise<void> {
    this.#debts.forgive();
    await this.#stop((machine) => machine.abort());
  }

  #stop(input: (machine: Machine) => void): Promise<SessionError | undefined> {
    this.#isStopping = true;
    if (this.#connection === undefined) this.#closed.resolve(undefined);
    this.#connection?.stop(input);
    return this.closed;
  }

  #discardMessages(machine: Machine): void {
    if (!this.#handlers.isEmpty) return;
    this.#inbox.discard(machine);
    machine.want(creditMax);
  }

  #over(reason: Reason): void {
    this.#calls.loseAll();
    this.#handlers.cancelAll(new SessionError(reason));
  }

  /** Where the session stands. */
  get state(): State {
    return this.#connected().state;
  }

  /** What it has counted. */
  get stats(): Stats {
    return this.#connected().stats;
  }

  #connected(): Connection {
    if (this.#connection === undefined) throw new RefusedError(UsageError.Closed);
    return this.#connection;
  }

  // Facts.

  #dispatch(event: MachineEvent, machine: Machine): void {
    switch (event.kind) {
      case EventKind.Request:
      case EventKind.Notification:
        return this.#handlers.isEmpty ? this.#inbox.deliver(event, machine) : this.#handlers.serve(event);
      case EventKind.Lost:
      case EventKind.Result:
      case EventKind.Error:
      case EventKind.InvalidAnswer:
      case EventKind.Timeout:
      case EventKind.Canceled:
        return this.#calls.settle(event);
      case EventKind.Progress:
        return this.#calls.progress(event);
      case EventKind.CancelRequest:
        return this.#handlers.cancel(event.req, new RPCError(Code.Canceled, 'the peer cancelled the request'));
    }
    const { observe } = this.#options;
    if (observe === undefined) return;
    const seen = observation(event);
    this.#session.later(() => observe(seen), 'observe');
  }

  // What the parts of a session ask of it.

  readonly #session: Session = {
    owe: () => this.#debts.owe(),
    send: (outcome, op, method, signal, prepare) => {
      if (this.#connection === undefined) outcome.reject(this.#unconnected(op, method));
      else this.#connection.send(outcome, op, method, signal, prepare);
    },
    input: (f) => this.#connection?.input(f),
    why: () => this.#connected().why(),
    later: (fn, where) =>
      queueMicrotask(() => {
        try {
          fn();
        } catch (error) {
          this.#report(error, where);
        }
      }),
    report: (error, where) => this.#report(error, where),
  };

  #unconnected(op: string, method: string): CallError {
    return unsent(op, method, this.#isStopping);
  }

  #report(error: unknown, where: string): void {
    if (this.#options.onError !== undefined) this.#options.onError(error, where);
    else console.error(`parley: ${oneLine(where)}:`, error);
  }
}

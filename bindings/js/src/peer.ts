// One session: a machine, a transport, and the turns between them.

import { Code, EventKind, Framing, Inbound, OutputPhase, Reason, UsageError } from './abi.gen.js';
import { encodeParams, PendingCall, spell, type CallOptions } from './call.js';
import { Alarm, systemClock, type Clock } from './clock.js';
import type { Config, Limits } from './config.js';
import { Deferred, type Owed } from './deferred.js';
import { Ending } from './ending.js';
import type { Engine } from './engine.js';
import { RefusedError, TrapError } from './errors.js';
import { MachineEvent } from './event.js';
import { CallError, RPCError, SessionError } from './faults.js';
import { Flushes } from './flush.js';
import { Handlers, type Handler, type HandleOptions } from './handlers.js';
import { Hold } from './hold.js';
import type { State, Stats } from './inspect.js';
import { Json } from './json.js';
import type { Machine } from './machine.js';
import { Inbox, type Message } from './messages.js';
import { Room } from './room.js';
import type { Prepared } from './session.js';
import { oneLine } from './text.js';
import type { Transport } from './transport.js';
import { Writer } from './writer.js';

/** What a session is told when it is made: a configuration, and what goes on beside the machine. */
export interface PeerOptions extends Omit<Config, 'inbound' | 'methods'> {
  /** Gets what is nobody's outcome: invalid frames, noise, errors for nobody, a stalled peer, the end. */
  observe?: (observation: Observation) => void;
  /** Gets what a handler or a callback of the application threw; console.error where it is left out. */
  onError?: (error: unknown, where: string) => void;
  clock?: Clock;
}

/** One fact that is nobody's outcome. text is a message or a sample of the peer's: escape it before showing it. */
export interface Observation
  extends Pick<MachineEvent, 'kind' | 'reason' | 'invalid' | 'hint' | 'code' | 'offset' | 'count'> {
  text: string;
}

/**
 * Defaults smaller than core's, in bytes, so that one instance of 1 GiB holds several sessions; a page
 * cannot pause its sockets, and BACK-2 bounds what they bring.
 */
export const limitDefaults = {
  frameBytesMax: 16 << 20,
  queuedBytesMax: 8 << 20,
  parkedBytesMax: 8 << 20,
} satisfies Partial<Limits>;

const creditMax = 2 ** 31 - 1;

/**
 * A session that calls and serves. Register handlers, then connect; without any handler, messages
 * yields what the peer asks and tells. Calls and notifications go out in the order they are made.
 */
export class Peer {
  /** Resolves when the session has ended and its transport is closed: with why, where it was no clean end. It never rejects. */
  readonly closed: Promise<SessionError | undefined>;
  readonly #closed = new Deferred<SessionError | undefined>();
  readonly #engine: Engine;
  readonly #options: PeerOptions;
  readonly #clock: Clock;
  readonly #calls = new Map<number, PendingCall<unknown>>();
  readonly #handlers = new Handlers();
  readonly #inbox: Inbox;
  readonly #room: Room;
  readonly #flushes = new Flushes();
  readonly #ending: Ending;
  readonly #hold: Hold;
  readonly #alarm: Alarm;
  readonly #event = new MachineEvent();
  #link: { machine: Machine; transport: Transport; writer: Writer } | undefined;
  #hasRoom = false; // whoever waits for room may try
  #isPaused = false;
  #isClosing = false;
  #isOver = false; // nothing reaches the machine any more
  #readError: unknown;
  #writeError: unknown;
  #forgetTrap: (() => void) | undefined;
  #last: { state: State; stats: Stats } | undefined; // of the machine that is freed

  constructor(engine: Engine, options: PeerOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#ending = new Ending(this.#clock);
    const frameBytesMax = options.limits?.frameBytesMax ?? limitDefaults.frameBytesMax;
    this.#hold = new Hold(this.#clock, frameBytesMax, () => this.#input(() => undefined));
    this.#alarm = new Alarm(this.#clock, () => this.#input(() => undefined));
    this.#room = new Room(this.#clock, () => this.#input(() => void (this.#hasRoom = true)));
    this.#inbox = new Inbox(this.#session);
    this.closed = this.#closed.promise;
  }

  /** Registers a handler, before connect (REQ-5, SCHED-1). A session with handlers has no messages. */
  handle<P = unknown>(method: string, options: HandleOptions, fn: Handler<P>): this {
    if (this.#link !== undefined) throw new Error('parley: handlers are registered before connect');
    this.#handlers.add(method, options, fn as Handler<unknown>);
    return this;
  }

  /** Claims the transport and starts the session. A refused configuration is a ConfigError and claims nothing (API-1). */
  connect(transport: Transport): this {
    if (this.#link !== undefined || this.#isOver) throw new Error('parley: a peer is connected once');
    const { observe: _, onError: __, clock: ___, ...config } = this.#options;
    const isServing = !this.#handlers.isEmpty;
    const machine = this.#engine.machine({
      ...config,
      ...(transport.isWhole && { framing: Framing.Whole }),
      limits: { ...limitDefaults, ...config.limits },
      inbound: isServing ? Inbound.Handlers : Inbound.Messages,
      methods: this.#handlers.table,
    });
    this.#link = { machine, transport, writer: this.#writerOf(transport) };
    this.#forgetTrap = this.#engine.onTrap(() => this.#input(() => undefined)); // also when another session met it
    this.#update(() => (isServing ? machine.want(creditMax) : undefined)); // the clock is set before any byte
    try {
      transport.start({ chunk: (bytes) => this.#received(bytes), end: (error) => this.#inputEnded(error) });
    } catch (error) {
      this.#isOver = true; // the transport is somebody else's, and stays open
      this.#forgetTrap();
      this.#alarm.set(Infinity);
      machine.free();
      this.#closed.resolve(undefined);
      throw error;
    }
    return this;
  }

  // Calls.

  /** Sends a request and resolves with its result, decoded. undefined params are not sent. */
  call<R = unknown>(method: string, params?: unknown, options: CallOptions = {}): Promise<R> {
    return this.#call(method, params, options, (result) => result.value as R);
  }

  /** call with the result as JSON text, decoded when it is looked at. */
  callRaw(method: string, params?: unknown, options: CallOptions = {}): Promise<Json> {
    return this.#call(method, params, options, (result) => result);
  }

  #call<T>(method: string, params: unknown, options: CallOptions, decode: (result: Json) => T): Promise<T> {
    const call = new PendingCall(method, options, decode);
    this.#send(call.outcome, 'call', method, options.signal, () => {
      const text = encodeParams('call', method, params);
      const spelled = spell(this.#clock.now(), options);
      return {
        deadline: spelled.deadline,
        run: (machine) => {
          const handle = machine.call(method, text, spelled);
          this.#calls.set(handle, call as PendingCall<unknown>);
          call.onAbort(() => this.#input((m) => m.cancel(handle)));
        },
      };
    });
    return call.outcome.promise;
  }

  /**
   * Sends a notification. It resolves when its frame is in the queue (API-8), which may take waiting
   * for room (SEND-2); the signal ends the waiting.
   */
  notify(method: string, params?: unknown, options: { signal?: AbortSignal } = {}): Promise<void> {
    const sent = new Deferred<void>();
    this.#send(sent, 'notify', method, options.signal, () => {
      const text = encodeParams('notify', method, params);
      return { deadline: Infinity, run: (machine) => sent.resolve(machine.notify(method, text)) };
    });
    return sent.promise;
  }

  /** Resolves when everything accepted before it has been written (API-8). */
  flush(): Promise<void> {
    const done = new Deferred<void>();
    try {
      this.#update((machine) => this.#flushes.add(machine.state(), done));
    } catch (error) {
      this.#reject(done, 'flush', '', error);
    }
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
        const message = await this.#inbox.next(() => this.#input((machine) => machine.want(1)));
        if (message === undefined) return;
        yield message;
      }
    } finally {
      this.#inbox.isConsumed = false;
      if (this.#isClosing) this.#input((machine) => this.#discardMessages(machine));
    }
  }

  // The end.

  /** Ends the session in order: what runs and what is owed gets Config.graceNs and shutdownNs (STOP-2). Resolves as closed does. */
  shutdown(): Promise<SessionError | undefined> {
    return this.#stop((machine) => {
      machine.shutdown();
      if (!this.#inbox.isConsumed) this.#discardMessages(machine);
    });
  }

  /** shutdown by an owner who wants no more of the session: open calls fail as Closed, and the peer is told of their cancelling. */
  close(): Promise<SessionError | undefined> {
    return this.#stop((machine) => {
      machine.shutdown();
      for (const [handle, call] of this.#calls) {
        call.isClosing = true;
        machine.cancel(handle);
      }
      this.#discardMessages(machine);
    });
  }

  /** Ends everything at once. What is open is rejected, and nobody has to catch it. */
  async dispose(): Promise<void> {
    for (const call of this.#calls.values()) call.outcome.forgive();
    this.#room.forgive();
    this.#flushes.forgive();
    await this.#stop((machine) => machine.abort());
  }

  #stop(input: (machine: Machine) => void): Promise<SessionError | undefined> {
    this.#isClosing = true;
    if (this.#link === undefined) {
      this.#isOver = true;
      this.#closed.resolve(undefined);
    }
    this.#input(input);
    return this.closed;
  }

  #discardMessages(machine: Machine): void {
    if (!this.#handlers.isEmpty) return;
    this.#inbox.discard(machine);
    machine.want(creditMax);
  }

  /** Where the session stands. */
  get state(): State {
    return this.#last?.state ?? this.#live().state();
  }

  get stats(): Stats {
    return this.#last?.stats ?? this.#live().stats();
  }

  // Turns.

  #live(): Machine {
    if (this.#link === undefined || this.#isOver) throw new RefusedError(UsageError.Closed);
    return this.#link.machine;
  }

  /** The only door to the machine: f makes inputs, then the turn ends. */
  #update<T>(f: (machine: Machine) => T): T {
    const machine = this.#live();
    try {
      return f(machine);
    } finally {
      this.#turn(machine);
    }
  }

  /** update for what changes nothing after the end. A trap has been told by the turn. */
  #input(f: (machine: Machine) => void): void {
    if (this.#isOver) return;
    try {
      this.#update(f);
    } catch (error) {
      const isEnd = error instanceof TrapError || (error instanceof RefusedError && error.code === UsageError.Closed);
      if (!isEnd) throw error;
    }
  }

  /** Time passes, facts are told, and whoever can go on now does. */
  #turn(machine: Machine): void {
    try {
      do {
        this.#hold.advance(machine);
        while (!this.#isOver && machine.next(this.#event)) this.#dispatch(this.#event, machine);
        if (this.#isOver) return;
      } while (this.#serveRoom(machine));
      if (!this.#flushes.isEmpty) this.#flushes.settle(machine.state(), this.#lost);
      this.#pause(machine.isPaused);
      this.#alarm.set(this.#hold.isHolding ? Infinity : machine.deadline);
    } catch (error) {
      if (!(error instanceof TrapError)) throw error;
      this.#finish(Reason.None, error);
      return;
    }
    this.#link?.writer.pump();
  }

  /** Lets waiting commands try, where there may be room, or an end to learn; whether any went. */
  #serveRoom(machine: Machine): boolean {
    if (this.#room.isEmpty) return false;
    // Withdrawn frames and a closed output make no EventWritable.
    const mayTry = this.#hasRoom || machine.pendingBytes === 0 || machine.state().output !== OutputPhase.Open;
    this.#hasRoom = false;
    return mayTry && this.#room.serve() > 0;
  }

  #dispatch(event: MachineEvent, machine: Machine): void {
    switch (event.kind) {
      case EventKind.Request:
      case EventKind.Notification:
        return this.#handlers.isEmpty ? this.#inbox.deliver(event, machine) : this.#handlers.serve(event, this.#session);
      case EventKind.Lost:
        this.#beginEnd(event.reason);
        return this.#settle(event);
      case EventKind.Result:
      case EventKind.Error:
      case EventKind.InvalidAnswer:
      case EventKind.Timeout:
      case EventKind.Canceled:
        return this.#settle(event);
      case EventKind.Progress:
        return this.#reportProgress(event);
      case EventKind.CancelRequest:
        return this.#handlers.cancel(event.req, new RPCError(Code.Canceled, 'the peer cancelled the request'));
      case EventKind.Writable:
        this.#hasRoom = true;
        return;
      case EventKind.Ending:
        this.#observe(event);
        return this.#beginEnd(event.reason);
      case EventKind.Closed:
        this.#observe(event);
        return this.#finish(event.reason);
    }
    this.#observe(event);
  }

  #settle(event: MachineEvent): void {
    const call = this.#calls.get(event.call);
    this.#calls.delete(event.call);
    call?.settle(event, () => this.#why());
  }

  #reportProgress(event: MachineEvent): void {
    const call = this.#calls.get(event.call);
    const onProgress = call?.options.onProgress;
    if (onProgress === undefined) return;
    const params = new Json(event.bodyText ?? 'null');
    queueMicrotask(() => this.#guard(() => onProgress(params), `progress of "${call?.method}"`));
  }

  #observe(event: MachineEvent): void {
    const { observe } = this.#options;
    if (observe === undefined) return;
    const { kind, reason, invalid, hint, code, offset, count } = event;
    const text = new TextDecoder().decode(event.text);
    queueMicrotask(() => this.#guard(() => observe({ kind, reason, invalid, hint, code, offset, count, text }), 'observe'));
  }

  // Sending.

  readonly #session = {
    send: (outcome: Owed, op: string, method: string, signal: AbortSignal | undefined, prepare: () => Prepared): void =>
      this.#send(outcome, op, method, signal, prepare),
    report: (error: unknown, where: string): void => this.#report(error, where),
  };

  #send(outcome: Owed, op: string, method: string, signal: AbortSignal | undefined, prepare: () => Prepared): void {
    try {
      if (signal?.aborted) throw new CallError({ op, method, code: UsageError.Canceled, cause: signal.reason });
      const { deadline, run } = prepare();
      const attempt = (): boolean => {
        try {
          run(this.#live());
        } catch (error) {
          if (error instanceof RefusedError && error.code === UsageError.OutputFull) return false;
          this.#reject(outcome, op, method, error);
        }
        return true;
      };
      if (this.#room.isEmpty && this.#update(attempt)) return;
      this.#room.join({ op, method, signal, deadline, outcome, attempt });
    } catch (error) {
      this.#reject(outcome, op, method, error);
    }
  }

  /** Rejects with what a verb says; where the session has ended, with why. */
  #reject(outcome: Owed, op: string, method: string, error: unknown): void {
    if (!(error instanceof RefusedError) && !(error instanceof TrapError)) return outcome.reject(error);
    const code = error instanceof RefusedError ? (error.code as UsageError) : UsageError.Closed;
    if (code !== UsageError.Closed) return outcome.reject(new CallError({ op, method, code }));
    void this.#why().then((cause) => outcome.reject(new CallError({ op, method, code, cause })));
  }

  /** Why a verb is too late: the end, or that only our direction has been closed. */
  async #why(): Promise<SessionError> {
    if (this.#ending.error !== undefined) return this.#ending.error;
    const reason = this.#link === undefined ? Reason.None : this.state.reason;
    if (reason === Reason.None && this.#isClosing) return new SessionError(Reason.Shutdown);
    return new SessionError(reason, this.#writeError);
  }

  readonly #lost = (done: Owed): void => this.#reject(done, 'flush', '', new RefusedError(UsageError.Closed));

  /** Runs caller code whose failure is nobody's outcome. */
  #guard(fn: () => void, where: string): void {
    try {
      fn();
    } catch (error) {
      this.#report(error, where);
    }
  }

  #report(error: unknown, where: string): void {
    if (this.#options.onError !== undefined) this.#options.onError(error, where);
    else console.error(`parley: ${oneLine(where)}:`, error);
  }

  // The transport's side.

  #received(bytes: Uint8Array): void {
    this.#hold.received(bytes.length);
    this.#input((machine) => (this.#link?.transport.isWhole ? machine.commitMessage(bytes) : machine.commit(bytes)));
  }

  #inputEnded(error: unknown): void {
    this.#readError ??= error;
    this.#input((machine) => (error === undefined ? machine.commitEOF() : machine.readFailed()));
  }

  #pause(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#link?.transport.pause?.();
    else this.#link?.transport.resume?.();
  }

  #writerOf(transport: Transport): Writer {
    return new Writer(transport, {
      take: () => {
        let block: Uint8Array<ArrayBuffer> | undefined;
        this.#input((machine) => void (block = machine.take()));
        return block;
      },
      wrote: (size) => this.#input((machine) => machine.wrote(size)),
      failed: (error) => {
        this.#writeError ??= error;
        this.#input((machine) => machine.writeFailed());
      },
      isDone: () => this.#isOver || this.#live().isOutputDone,
    });
  }

  // How it ends.

  #beginEnd(reason: Reason, trap?: TrapError): void {
    if (this.#ending.error !== undefined) return;
    const causes: Partial<Record<Reason, unknown>> = {
      [Reason.Violation]: this.#link?.machine.error,
      [Reason.WriteFailed]: this.#writeError,
      [Reason.ReadFailed]: this.#readError,
    };
    void this.#ending
      .begin(reason, trap ?? causes[reason], this.#link!.transport)
      .then((error) => this.#inbox.end(error.isClean ? undefined : error));
  }

  /** The last turn: whatever is still open is lost, and the transport is closed behind. */
  #finish(reason: Reason, trap?: TrapError): void {
    this.#beginEnd(reason, trap);
    const { machine, transport } = this.#link!;
    if (trap === undefined) this.#last = { state: machine.state(), stats: machine.stats() };
    this.#isOver = true;
    this.#forgetTrap?.();
    this.#alarm.set(Infinity);
    for (const call of this.#calls.values()) call.lose(() => this.#why());
    this.#calls.clear();
    this.#room.serve(); // whoever waits finds the session over
    this.#flushes.loseAll(this.#lost);
    this.#handlers.cancelAll(new SessionError(reason));
    machine.free();
    void this.#release(transport);
  }

  async #release(transport: Transport): Promise<void> {
    try {
      await transport.close();
    } catch (error) {
      this.#report(error, 'closing the transport');
    }
    const error = await this.#why();
    this.#closed.resolve(error.isClean || error.reason === Reason.Aborted ? undefined : error);
  }
}

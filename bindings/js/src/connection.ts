// A machine and a transport, and the turns between them.

import { EventKind, OutputPhase, Reason, UsageError } from './abi.gen.js';
import { Alarm, type Clock } from './clock.js';
import { Deferred, type Owed } from './deferred.js';
import { Ending } from './ending.js';
import type { Engine } from './engine.js';
import { RefusedError, TrapError } from './errors.js';
import { MachineEvent } from './event.js';
import { CallError, SessionError } from './faults.js';
import { Flushes } from './flush.js';
import { Hold } from './hold.js';
import type { State, Stats } from './inspect.js';
import type { Machine } from './machine.js';
import type { MachineTurn } from './machine-inputs.js';
import { Room } from './room.js';
import type { Prepared } from './session.js';
import type { Transport } from './transport.js';
import { Writer } from './writer.js';

/** Whoever made the connection. Facts and the end are told within a turn: no caller code runs (API-9). */
export interface Owner {
  fact(event: MachineEvent, machine: Machine): void;
  /** Nothing reaches the machine any more: what is open is lost. */
  over(reason: Reason): void;
  /** Why the session ends has been found out. */
  explained(error: SessionError): void;
  /** The transport did not close. */
  closeFailed(error: unknown): void;
}

export class Connection {
  /** Resolves when the session has ended and its transport is closed: with why, where it was no clean end. */
  readonly closed: Promise<SessionError | undefined>;
  readonly #closed = new Deferred<SessionError | undefined>();
  readonly #flushes = new Flushes();
  readonly #event = new MachineEvent();
  readonly #writer: Writer;
  readonly #room: Room;
  readonly #ending: Ending;
  readonly #hold: Hold;
  readonly #alarm: Alarm;
  readonly #forgetTrap: () => void;
  #hasRoom = false; // whoever waits for room may try
  #isPaused = false;
  #isStopping = false;
  #isOver = false; // nothing reaches the machine any more
  #isTurnDue = false; // commands wait for their turn
  #readError: unknown;
  #writeError: unknown;
  #last: { state: State; stats: Stats } | undefined; // of the machine that is freed

  constructor(
    engine: Engine,
    clock: Clock,
    private readonly machine: Machine,
    private readonly transport: Transport,
    private readonly owner: Owner,
  ) {
    const turn = (): void => this.input(() => undefined);
    this.#ending = new Ending(clock);
    this.#hold = new Hold(clock, machine.limits().frameBytesMax, turn);
    this.#alarm = new Alarm(clock, turn);
    this.#room = new Room(clock, () => this.input(() => void (this.#hasRoom = true)));
    this.#writer = this.#makeWriter();
    this.#forgetTrap = engine.onTrap(turn); // also when another session met it
    this.closed = this.#closed.promise;
  }

  /** Claims the transport. first is the first input: the clock is set before any byte. */
  start(first: (machine: Machine) => void): void {
    this.#update(first);
    try {
      this.transport.start({ chunk: (bytes) => this.#received(bytes), end: (error) => this.#inputEnded(error) });
    } catch (error) {
      this.#retire(); // the transport is somebody else's, and stays open
      this.#closed.resolve(undefined);
      throw error;
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get state(): State {
    return this.#last?.state ?? this.#live().state();
  }

  get stats(): Stats {
    return this.#last?.stats ?? this.#live().stats();
  }

  // Inputs, each of which begins a turn, or waits for one.

  /** Whatever refuses f is thrown. */
  command(f: (machine: Machine) => void): void {
    this.#update(f);
  }

  /** Like command, for what changes nothing after the end. A trap has been told by the turn. */
  input(f: (machine: Machine) => void): void {
    if (this.#isOver) return;
    try {
      this.#update(f);
    } catch (error) {
      const isEnd = error instanceof TrapError || (error instanceof RefusedError && error.code === UsageError.Closed);
      if (!isEnd) throw error;
    }
  }

  /** The owner wants an end: f says how. */
  stop(f: (machine: Machine) => void): void {
    this.#isStopping = true;
    this.input(f);
  }

  /** Session.send: a command that may have to wait for room. Those of one step of the program share a turn, and so a write. */
  send(outcome: Owed, op: string, method: string, signal: AbortSignal | undefined, prepare: () => Prepared): void {
    try {
      if (signal?.aborted) throw new CallError({ op, method, code: UsageError.Canceled, cause: signal.reason });
      const { deadline, run } = prepare();
      const attempt = (): boolean => {
        try {
          run(this.#live());
        } catch (error) {
          if (error instanceof RefusedError && error.code === UsageError.OutputFull) return false;
          if (error instanceof TrapError) this.#finish(Reason.None, error);
          this.reject(outcome, op, method, error);
        }
        return true;
      };
      if (!this.#room.isEmpty || !attempt()) this.#room.join({ op, method, signal, deadline, outcome, attempt });
      this.#turnLater();
    } catch (error) {
      this.reject(outcome, op, method, error);
    }
  }

  /** Resolves done when everything accepted so far has been written (API-8). */
  flush(done: Deferred<void>): void {
    try {
      this.#update((machine) => this.#flushes.add(machine.state(), done));
    } catch (error) {
      this.reject(done, 'flush', '', error);
    }
  }

  /** Rejects with what a verb says; where the session has ended, with why. */
  reject(outcome: Owed, op: string, method: string, error: unknown): void {
    if (!(error instanceof RefusedError) && !(error instanceof TrapError)) return outcome.reject(error);
    const code = error instanceof RefusedError ? (error.code as UsageError) : UsageError.Closed;
    if (code !== UsageError.Closed) return outcome.reject(new CallError({ op, method, code }));
    void this.why().then((cause) => outcome.reject(new CallError({ op, method, code, cause })));
  }

  /** Why a verb is too late: the end, or that only our direction has been closed. */
  async why(): Promise<SessionError> {
    if (this.#ending.error !== undefined) return this.#ending.error;
    const { reason } = this.state;
    if (reason === Reason.None && this.#isStopping) return new SessionError(Reason.Shutdown);
    return new SessionError(reason, this.#writeError);
  }

  // Turns.

  #live(): Machine {
    if (this.#isOver) throw new RefusedError(UsageError.Closed);
    return this.machine;
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

  #turnLater(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    queueMicrotask(this.#dueTurn);
  }

  readonly #dueTurn = (): void => {
    if (this.#isTurnDue && !this.#isOver) this.#turn(this.machine);
  };

  /** Time passes, facts are told, and whoever can go on now does. It begins with what the transport has done. */
  #turn(machine: Machine, done?: MachineTurn): void {
    this.#isTurnDue = false;
    try {
      this.#step(machine, done);
      while (this.#serveRoom(machine)) this.#step(machine);
      if (this.#isOver) return;
      if (machine.pendingBytes > 0 && this.#writer.isFree) this.#write(machine.take()); // queued while facts were told
      if (!this.#flushes.isEmpty) this.#flushes.settle(machine.state(), this.#lost);
      this.#pause(machine.isPaused);
      this.#writer.pump();
      if (this.#isOver) return;
      this.#alarm.set(this.#hold.isHolding ? Infinity : machine.deadline); // behind a write that is done needs none
    } catch (error) {
      if (!(error instanceof TrapError)) throw error;
      this.#finish(Reason.None, error);
    }
  }

  /** The machine's own turn, and what it tells. */
  #step(machine: Machine, done?: MachineTurn): void {
    const now = this.#hold.time(machine);
    const takes = this.#writer.isFree;
    try {
      this.#write(machine.turn(now, takes, done));
    } catch (error) {
      if (!(error instanceof RefusedError) || error.code !== UsageError.Closed) throw error;
      this.#write(machine.turn(now, takes)); // without bytes that came behind the end
    }
    while (!this.#isOver && machine.next(this.#event)) this.#dispatch(this.#event, machine);
  }

  #write(block: Uint8Array<ArrayBuffer> | undefined): void {
    if (block !== undefined) this.#writer.accept(block);
  }

  #dispatch(event: MachineEvent, machine: Machine): void {
    const { kind, reason } = event;
    if (kind === EventKind.Writable) {
      this.#hasRoom = true;
      return;
    }
    if (kind === EventKind.Ending || kind === EventKind.Lost) this.#beginEnd(reason);
    this.owner.fact(event, machine);
    if (kind === EventKind.Closed) this.#finish(reason);
  }

  /** Lets waiting commands try, where there may be room, or an end to learn; whether any went. */
  #serveRoom(machine: Machine): boolean {
    if (this.#isOver || this.#room.isEmpty) return false;
    // Withdrawn frames and a closed output make no EventWritable.
    const mayTry = this.#hasRoom || machine.pendingBytes === 0 || machine.state().output !== OutputPhase.Open;
    this.#hasRoom = false;
    return mayTry && this.#room.serve() > 0 && !this.#isOver;
  }

  readonly #lost = (done: Owed): void => this.reject(done, 'flush', '', new RefusedError(UsageError.Closed));

  // The transport's side.

  #received(bytes: Uint8Array): void {
    this.#dueTurn(); // an answer comes behind its call
    this.#hold.received(bytes.length);
    this.#did({ received: bytes, isMessage: this.transport.isWhole });
  }

  #did(done: MachineTurn): void {
    if (!this.#isOver) this.#turn(this.machine, done);
  }

  #inputEnded(error: unknown): void {
    this.#readError ??= error;
    this.input((machine) => (error === undefined ? machine.commitEOF() : machine.readFailed()));
  }

  #pause(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.transport.pause?.();
    else this.transport.resume?.();
  }

  #makeWriter(): Writer {
    return new Writer(this.transport, {
      wrote: (size) => this.#did({ wroteBytes: size }),
      failed: (error) => {
        this.#writeError ??= error;
        this.input((machine) => machine.writeFailed());
      },
      isDone: () => this.#isOver || this.machine.isOutputDone,
    });
  }

  // How it ends.

  #beginEnd(reason: Reason, trap?: TrapError): void {
    if (this.#ending.error !== undefined) return;
    const causes: Partial<Record<Reason, unknown>> = {
      [Reason.Violation]: this.machine.error,
      [Reason.WriteFailed]: this.#writeError,
      [Reason.ReadFailed]: this.#readError,
    };
    const error = this.#ending.begin(reason, trap ?? causes[reason], this.transport);
    void error.then((found) => this.owner.explained(found));
  }

  /** The last turn: whatever is still open is lost, and the transport is closed behind. */
  #finish(reason: Reason, trap?: TrapError): void {
    this.#beginEnd(reason, trap);
    if (trap === undefined) this.#last = { state: this.machine.state(), stats: this.machine.stats() };
    this.#retire();
    this.#room.serve(); // whoever waits finds the session over
    this.#flushes.loseAll(this.#lost);
    this.owner.over(reason);
    void this.#release();
  }

  #retire(): void {
    this.#isOver = true;
    this.#forgetTrap();
    this.#alarm.set(Infinity);
    this.machine.free();
  }

  async #release(): Promise<void> {
    try {
      await this.transport.close();
    } catch (error) {
      this.owner.closeFailed(error);
    }
    const error = await this.why();
    this.#closed.resolve(error.isClean || error.reason === Reason.Aborted ? undefined : error);
  }
}

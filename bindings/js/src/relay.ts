// One relayed session: a machine that frames, scans and bounds, under a library that correlates by itself.

import { EventKind, Framing, Reason, Role, UsageError } from './abi.gen.js';
import { systemClock, type Clock } from './clock.js';
import type { Config } from './config.js';
import { Connection } from './connection.js';
import { Debts } from './deferred.js';
import type { Engine } from './engine.js';
import { RefusedError, TrapError } from './errors.js';
import type { MachineEvent } from './event.js';
import { CallError, SessionError } from './faults.js';
import type { State, Stats } from './inspect.js';
import type { Machine } from './machine.js';
import { limitDefaults } from './options.js';
import { relayed, type Relayed } from './relayed.js';
import { oneLine } from './text.js';
import type { Transport } from './transport.js';

/** What a relay is told when it is made: a configuration, and what goes on beside the machine. */
export interface RelayOptions extends Omit<Config, 'role' | 'inbound' | 'methods'> {
  /** Gets what the listener threw; console.error where it is left out. */
  onError?: (error: unknown, where: string) => void;
  /** The system's where it is left out. */
  clock?: Clock;
}

/** Who hears what the peer sends: one message after the other, then the end. */
export interface RelayListener {
  /** A message, or a frame that is none. What it throws is reported, and no end of reading. */
  message(message: Relayed): void;
  /** Nothing more will come, and why. */
  end(why: SessionError): void;
}

const creditMax = 2 ** 31 - 1;
const withoutCalls = { callsMax: 1, abandonedMax: 1 }; // a relay makes none, and room for them counts as memory

/**
 * The session of a relay. It claims the transport at once; what the peer sends waits, inside the
 * machine's bounds, until somebody listens. Numbering, matching and answering are the listener's.
 */
export class Relay {
  readonly #connection: Connection;
  readonly #onError: RelayOptions['onError'];
  readonly #debts = new Debts();
  #listener: RelayListener | undefined;
  #arrived: Relayed | undefined; // the one message that was asked for
  #isAsking = false;
  #isDiscarding = false; // nobody wants what still comes
  #reason: Reason = Reason.None; // of the end, known before it is explained
  #end: SessionError | undefined;
  #isEndTold = false;

  /** A refused configuration is a ConfigError, and claims nothing (API-1). */
  constructor(engine: Engine, transport: Transport, options: RelayOptions) {
    const { onError, clock = systemClock, ...config } = options;
    this.#onError = onError;
    const machine = engine.machine({
      ...config,
      ...(transport.isWhole && { framing: Framing.Whole }),
      limits: { ...limitDefaults, ...withoutCalls, ...config.limits },
      role: Role.Relay,
    });
    this.#connection = new Connection(engine, clock, machine, transport, {
      fact: (event, on) => this.#dispatch(event, on),
      over: () => undefined,
      explained: (error) => {
        this.#end = error;
        this.#deliverLater();
      },
      closeFailed: (error) => this.report(error, 'closing the transport'),
    });
    this.#connection.start(() => undefined);
  }

  /** Resolves when the session has ended and its transport is closed: with why, where it was no clean end. It never rejects. */
  get closed(): Promise<SessionError | undefined> {
    return this.#connection.closed;
  }

  /** Hears the peer from now on, instead of whoever did. The result ends that; what comes then waits again. */
  listen(listener: RelayListener): () => void {
    this.#listener = listener;
    this.#deliverLater();
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /**
   * Queues one JSON text, byte for byte, when there is room for it, in the order of the calls. It
   * resolves when the text is in the queue (API-8), and rejects with a CallError where the text is over
   * the limit (FRAME-5) and after the end. method names it in errors.
   */
  send(text: Uint8Array, method = ''): Promise<void> {
    const sent = this.#debts.owe<void>();
    this.#connection.send(sent, 'send', method, undefined, () => ({
      deadline: Infinity,
      run: (machine) => sent.resolve(machine.forward(text)),
    }));
    return sent.promise;
  }

  /** send for those who cannot wait: what send rejects with, and a queue that is full, is thrown. For Config.outFailFast. */
  sendNow(text: Uint8Array, method = ''): void {
    try {
      this.#connection.command((machine) => machine.forward(text));
    } catch (error) {
      if (!(error instanceof RefusedError) && !(error instanceof TrapError)) throw error;
      const code = error instanceof RefusedError ? (error.code as UsageError) : UsageError.Closed;
      const cause = code === UsageError.Closed ? this.#why(error) : undefined;
      throw new CallError({ op: 'send', method, code, cause });
    }
  }

  /** Ends the session in order: what is queued is written, within Config.graceNs and shutdownNs (STOP-2). */
  close(): Promise<SessionError | undefined> {
    return this.#stop((machine) => machine.shutdown());
  }

  /** Ends everything at once. What waits for room is rejected, and nobody has to catch it. It is repeatable. */
  async dispose(): Promise<void> {
    this.#debts.forgive();
    await this.#stop((machine) => machine.abort());
  }

  /** Where the session stands. */
  get state(): State {
    return this.#connection.state;
  }

  /** Counters of what has passed and what was wrong with it. */
  get stats(): Stats {
    return this.#connection.stats;
  }

  /** Says what the application's own code threw. */
  report(error: unknown, where: string): void {
    if (this.#onError !== undefined) this.#onError(error, where);
    else console.error(`parley: ${oneLine(where)}:`, error);
  }

  #stop(input: (machine: Machine) => void): Promise<SessionError | undefined> {
    this.#isDiscarding = true;
    this.#arrived = undefined;
    this.#connection.stop((machine) => {
      input(machine);
      machine.want(creditMax);
    });
    return this.closed;
  }

  #dispatch(event: MachineEvent, machine: Machine): void {
    if (event.kind === EventKind.Ending) {
      this.#reason = event.reason;
      return machine.shutdown(); // the library has no use for half a session
    }
    if (event.kind !== EventKind.Message) return;
    this.#isAsking = false;
    if (this.#isDiscarding) return;
    this.#arrived = relayed(event);
    this.#deliverLater();
  }

  /** No caller code runs in a turn (API-9). */
  #deliverLater(): void {
    queueMicrotask(() => this.#deliver());
  }

  /** Hands over what has arrived and asks for the next, one message at a time; then the end. */
  #deliver(): void {
    while (this.#listener !== undefined) {
      const message = this.#arrived;
      this.#arrived = undefined;
      if (message !== undefined) this.#tell((listener) => listener.message(message));
      if (!this.#isAsking) {
        this.#isAsking = true;
        this.#connection.input((machine) => machine.want(1));
      }
      if (this.#arrived === undefined) break;
    }
    // Whoever asked and got nothing has had everything: the end does not wait for what is still written.
    const why = this.#end;
    if (why === undefined || this.#isEndTold || this.#listener === undefined) return;
    this.#isEndTold = true;
    this.#tell((listener) => listener.end(why));
  }

  #tell(fn: (listener: RelayListener) => void): void {
    try {
      if (this.#listener !== undefined) fn(this.#listener);
    } catch (error) {
      this.report(error, 'listener');
    }
  }

  #why(error: unknown): SessionError {
    return this.#end ?? new SessionError(this.#reason, error instanceof TrapError ? error : undefined);
  }
}

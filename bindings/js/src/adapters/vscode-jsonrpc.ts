// A MessageReader and a MessageWriter for vscode-jsonrpc, 8.2 to 10, over any transport of ours.

import { Profile } from '../abi.gen.js';
import type { Engine } from '../engine.js';
import type { Relay } from '../relay.js';
import type { Transport } from '../transport.js';
import { Emitter, type Disposable, type EventOf } from './emitter.js';
import { Seam, type AdapterOptions } from './seam.js';
import { written } from './written.js';

export type { Disposable, EventOf } from './emitter.js';
export type { AdapterOptions, Kind, Passing } from './seam.js';

/** What vscode-jsonrpc calls a Message. */
export interface VSCodeMessage {
  jsonrpc: string;
}

/** Options of vscodeTransports; the profile is LSP where none is given. */
export interface VSCodeOptions extends Omit<AdapterOptions, 'profile'> {
  profile?: Profile;
}

/** MessageTransports, as createMessageConnection and language clients take them, and the session beneath. */
export interface VSCodeTransports {
  reader: VSCodeReader;
  writer: VSCodeWriter;
  /** Its end, its state and its counters. Disposing a connection leaves it open: close it, or end the writer. */
  relay: Relay;
}

/**
 * Makes the two ends of one session. When that ends, the connection's open requests are rejected and
 * then both ends close; over a transport that resumes, they outlive its lost sockets.
 */
export function vscodeTransports(engine: Engine, transport: Transport, options: VSCodeOptions = {}): VSCodeTransports {
  const seam = new Seam(engine, transport, { profile: Profile.LSP, ...options });
  const writer = new VSCodeWriter(seam);
  return { reader: new VSCodeReader(seam, () => writer.ended()), writer, relay: seam.relay };
}

/** The reading end. */
export class VSCodeReader {
  readonly #seam: Seam;
  readonly #errors: Emitter<Error>;
  readonly #closes: Emitter<void>;
  readonly #ended: () => void;
  #stop: (() => void) | undefined;

  /** ended is told of the session's end, for the writing end. */
  constructor(seam: Seam, ended: () => void) {
    const report = (error: unknown): void => seam.relay.report(error, 'listener of a reader');
    this.#seam = seam;
    this.#ended = ended;
    this.#errors = new Emitter(report);
    this.#closes = new Emitter(report);
  }

  /** Frames that are no messages, and why the session ended, where it was no clean end. */
  get onError(): EventOf<Error> {
    return this.#errors.event;
  }

  /** The session has ended. */
  get onClose(): EventOf<void> {
    return this.#closes.event;
  }

  /** It never fires: a message that is late is not known by its size alone. */
  onPartialMessage(_: (info: { messageToken: number; waitingTime: number }) => unknown): Disposable {
    return { dispose: () => undefined };
  }

  /** Hands every message to callback, once and for all. What came before has waited. */
  listen(callback: (message: VSCodeMessage) => void): Disposable {
    if (this.#stop !== undefined) throw new Error('parley: the reader has a listener already');
    this.#stop = this.#seam.listen({
      settlesOnEnd: false,
      message: (text) => callback(JSON.parse(text)),
      invalid: (error) => this.#errors.fire(error),
      end: (error) => {
        if (error !== undefined) this.#errors.fire(error);
        this.#closes.fire();
        this.#ended();
      },
    });
    return { dispose: this.#stop };
  }

  /** Stops reading. The session goes on. */
  dispose(): void {
    this.#stop?.();
    this.#errors.dispose();
    this.#closes.dispose();
  }
}

/** The writing end. */
export class VSCodeWriter {
  readonly #seam: Seam;
  readonly #errors: Emitter<[Error, VSCodeMessage | undefined, number | undefined]>;
  readonly #closes: Emitter<void>;
  #failures = 0;

  constructor(seam: Seam) {
    const report = (error: unknown): void => seam.relay.report(error, 'listener of a writer');
    this.#seam = seam;
    this.#errors = new Emitter(report);
    this.#closes = new Emitter(report);
  }

  /** Every write that failed, with its message and how many have. */
  get onError(): EventOf<[Error, VSCodeMessage | undefined, number | undefined]> {
    return this.#errors.event;
  }

  /** The session has ended. */
  get onClose(): EventOf<void> {
    return this.#closes.event;
  }

  /** Resolves when the message is in the queue, in the order of the calls; rejects with why it is not. */
  async write(message: VSCodeMessage): Promise<void> {
    try {
      await this.#seam.send(written(message));
    } catch (error) {
      this.#failures++;
      this.#errors.fire([error as Error, message, this.#failures]);
      throw error;
    }
  }

  /** Writes what is queued, and ends the session. */
  end(): void {
    void this.#seam.relay.close();
  }

  /** Nobody hears of errors any more. The session goes on. */
  dispose(): void {
    this.#errors.dispose();
    this.#closes.dispose();
  }

  /** Called by the reading end. */
  ended(): void {
    this.#closes.fire();
  }
}

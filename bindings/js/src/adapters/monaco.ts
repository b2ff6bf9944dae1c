// An IMessageTransport for monaco.lsp of monaco-editor, over any transport of ours.

import { Profile } from '../abi.gen.js';
import type { Engine } from '../engine.js';
import type { Relay } from '../relay.js';
import type { Transport } from '../transport.js';
import { Emitter, type Disposable } from './emitter.js';
import { Seam, type AdapterOptions } from './seam.js';
import { written } from './written.js';

export type { Disposable } from './emitter.js';
export type { AdapterOptions, Kind, Passing } from './seam.js';

/** Options of a MonacoTransport; the profile is LSP where none is given. */
export interface MonacoOptions extends Omit<AdapterOptions, 'profile'> {
  profile?: Profile;
}

/** Where a MonacoTransport stands. It takes messages before its transport is open, and so is never connecting. */
export type MonacoState = { state: 'open' } | { state: 'closed'; error: Error | undefined };

/** A message as MonacoLspClient reads it. */
// biome-ignore lint/suspicious/noExplicitAny: requests and answers are told apart by the members they have
export type MonacoMessage = any;

/**
 * The transport of one MonacoLspClient. The client has no dispose and leaves its requests open when a
 * connection ends: here they are rejected, and dispose of the transport ends the session.
 */
export class MonacoTransport {
  /** The session: its end, its state and its counters. */
  readonly relay: Relay;
  /** open until the session has ended, and how that came. */
  readonly state: { readonly value: MonacoState; onChange(listener: (state: MonacoState) => void): Disposable };
  readonly #seam: Seam;
  readonly #changes: Emitter<MonacoState>;
  #state: MonacoState = { state: 'open' };
  #stop: (() => void) | undefined;

  /** Claims the transport. */
  constructor(engine: Engine, transport: Transport, options: MonacoOptions = {}) {
    this.#seam = new Seam(engine, transport, { profile: Profile.LSP, ...options });
    this.relay = this.#seam.relay;
    this.#changes = new Emitter((error) => this.relay.report(error, 'listener of the state'));
    const current = (): MonacoState => this.#state;
    this.state = {
      get value() {
        return current();
      },
      onChange: (listener) => this.#changes.event(listener),
    };
  }

  /** Resolves when the message is in the queue, in the order of the calls; rejects with why it is not. */
  async send(message: object): Promise<void> {
    await this.#seam.send(written(message));
  }

  /** Hears from now on, instead of whoever did. Without a listener what comes waits, and so does the end. */
  setListener(listener: ((message: MonacoMessage) => void) | undefined): void {
    this.#stop?.();
    this.#stop = undefined;
    if (listener === undefined) return;
    this.#stop = this.#seam.listen({
      settlesOnEnd: false,
      message: (text) => listener(JSON.parse(text)),
      invalid: (error) => this.relay.report(error, 'message'),
      end: (error) => {
        this.#state = { state: 'closed', error };
        this.#changes.fire(this.#state);
      },
    });
  }

  /** Ends the session at once, and the client's open requests with it. */
  dispose(): Promise<void> {
    return this.#seam.dispose();
  }

  /** For logs. */
  toString(): string {
    return `parley (${this.#state.state})`;
  }
}

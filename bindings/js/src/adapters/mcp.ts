// A Transport for the MCP SDK, version 1 and 2, client and server, over any transport of ours.

import { Profile, Reason } from '../abi.gen.js';
import type { Engine } from '../engine.js';
import { SessionError } from '../faults.js';
import type { Relay } from '../relay.js';
import type { Transport } from '../transport.js';
import { Seam, type AdapterOptions } from './seam.js';
import { written } from './written.js';

export type { AdapterOptions, Kind, Passing } from './seam.js';

/** Options of a McpTransport; the profile is MCP where none is given. */
export interface McpOptions extends Omit<AdapterOptions, 'profile'> {
  profile?: Profile;
}

/** A message as the SDK has it. */
// biome-ignore lint/suspicious/noExplicitAny: the two versions have a type for it each
export type McpMessage = any;

const batchVersion = '2025-03-26'; // the one version of MCP with batches

/**
 * The transport of one Client or Server. Client.connect starts it; nothing is delivered before. The
 * SDK rejects its open requests itself when it hears of the end.
 */
export class McpTransport {
  /** The session: its end, its state and its counters. */
  readonly relay: Relay;
  /** The session has ended, told once. */
  onclose?: (() => void) | undefined;
  /** Frames that are no messages, and why the session ended, where it was no clean end. */
  onerror?: ((error: Error) => void) | undefined;
  /** Each message of the peer's. */
  onmessage?: ((message: McpMessage, extra?: McpMessage) => void) | undefined;
  /** Of a session that is taken up again: a Client of version 1 that finds it set does not initialize. */
  sessionId?: string | undefined;
  readonly #seam: Seam;
  #version = '';
  #isStarted = false;
  #isClosed = false;

  /** Claims the transport. */
  constructor(engine: Engine, transport: Transport, options: McpOptions = {}) {
    this.#seam = new Seam(engine, transport, { profile: Profile.MCP, ...options });
    this.relay = this.#seam.relay;
  }

  /** Begins to deliver. */
  async start(): Promise<void> {
    if (this.#isStarted) throw new Error('parley: the transport is started already');
    if (this.#isClosed) throw new SessionError(Reason.Shutdown);
    this.#isStarted = true;
    this.#seam.listen({
      settlesOnEnd: true,
      message: (text) => this.onmessage?.(JSON.parse(text)),
      invalid: (error) => this.onerror?.(error),
      end: (error) => {
        if (error !== undefined) this.onerror?.(error);
        this.#closed();
      },
      takesBatches: () => this.#version === batchVersion,
    });
  }

  /** Resolves when the message is in the queue, in the order of the calls; rejects with why it is not. */
  async send(message: object, _options?: object): Promise<void> {
    await this.#seam.send(written(message));
  }

  /** Writes what is queued, ends the session, and closes its transport. It is repeatable. */
  async close(): Promise<void> {
    await this.relay.close();
    this.#closed();
  }

  /** The version that was negotiated; it decides whether batches are taken apart (MSG-8). */
  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

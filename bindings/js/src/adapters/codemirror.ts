// A Transport for @codemirror/lsp-client over any transport of ours.

import { Profile } from '../abi.gen.js';
import type { Engine } from '../engine.js';
import type { SessionError } from '../faults.js';
import type { Relay } from '../relay.js';
import type { Transport } from '../transport.js';
import { Seam, type AdapterOptions } from './seam.js';
import { answered, defaultAnswers, type Answers } from './server-requests.js';
import { writtenText } from './written.js';

export type { AdapterOptions, Kind, Passing } from './seam.js';
export { defaultAnswers, type Answer, type Answers } from './server-requests.js';

/** Options of a CodeMirrorTransport; the profile is LSP where none is given. */
export interface CodeMirrorOptions extends Omit<AdapterOptions, 'profile' | 'outFailFast'> {
  profile?: Profile;
  /** Answers to the server's requests, over defaultAnswers; undefined leaves a method to the client, which refuses all. */
  answers?: Answers;
}

/** The client cannot wait, so what it sends before the socket is open, or while that resumes, has to fit here. */
const outBytesMax = 4 << 20;

/**
 * One connection of an LSPClient. It takes messages before its transport is open, and when it has ended
 * rejects the client's open requests, which otherwise run into their timeouts. A new connection needs a
 * new one: reconnect.
 */
export class CodeMirrorTransport {
  /** The session: its end, its state and its counters. */
  readonly relay: Relay;
  readonly #seam: Seam;
  readonly #answers: Answers;
  readonly #handlers = new Set<(message: string) => void>();
  #isListening = false;

  constructor(engine: Engine, transport: Transport, options: CodeMirrorOptions = {}) {
    const { answers, ...rest } = options;
    const limits = { outBytesMax, ...rest.limits };
    this.#seam = new Seam(engine, transport, { profile: Profile.LSP, ...rest, limits, outFailFast: true });
    this.#answers = { ...defaultAnswers, ...answers };
    this.relay = this.#seam.relay;
  }

  /** Resolves when the session has ended: with why, where it was no clean end. */
  get closed(): Promise<SessionError | undefined> {
    return this.relay.closed;
  }

  /** Throws a CallError after the end, over the frame limit, and where the queue is full. */
  send(message: string): void {
    this.#seam.sendNow(writtenText(message));
  }

  /** What comes before the first handler is there waits for it. What a handler throws is reported, and no end of reading. */
  subscribe(handler: (message: string) => void): void {
    this.#handlers.add(handler);
    if (this.#isListening) return;
    this.#isListening = true;
    this.#seam.listen({
      settlesOnEnd: false,
      message: (text, message) => {
        if (!answered(message, text, this.#answers, this.#seam)) this.#publish(text);
      },
      invalid: (error) => this.relay.report(error, 'message'),
      end: () => undefined, // the interface has no word for it
    });
  }

  /** Takes subscribe back. */
  unsubscribe(handler: (message: string) => void): void {
    this.#handlers.delete(handler);
  }

  /** Writes what is queued and ends the session. */
  close(): Promise<SessionError | undefined> {
    return this.relay.close();
  }

  /** Ends the session at once, and the client's open requests with it. */
  dispose(): Promise<void> {
    return this.#seam.dispose();
  }

  #publish(text: string): void {
    for (const handler of [...this.#handlers]) {
      try {
        handler(text);
      } catch (error) {
        this.relay.report(error, 'handler');
      }
    }
  }
}

/** What of LSPClient a new connection needs. */
export interface ReconnectableClient {
  readonly initializing: Promise<unknown>;
  connect(transport: CodeMirrorTransport): unknown;
  disconnect(): void;
}

/**
 * Gives a client a new connection: it initializes again and opens its documents again. previous, where
 * it still lives, is ended first, which rejects the requests that are open on it.
 */
export function reconnect(client: ReconnectableClient, next: CodeMirrorTransport, previous?: CodeMirrorTransport): void {
  client.initializing.catch(() => undefined); // nobody has to wait for a handshake that is given up
  void previous?.dispose();
  client.disconnect();
  client.connect(next);
}

// Between a relay and a library that numbers, matches and answers by itself: what every adapter owes it.

import { Class, Code, Hint, Invalid, Reason, UsageError } from '../abi.gen.js';
import type { Engine } from '../engine.js';
import { CallError, SessionError } from '../faults.js';
import { Relay, type RelayOptions } from '../relay.js';
import { InvalidMessageError, type Relayed } from '../relayed.js';
import type { Transport } from '../transport.js';
import { written, type Written } from './written.js';

/** The class of a message, in words. */
export type Kind = 'request' | 'notification' | 'result' | 'error' | 'batch' | 'invalid';

/** One message that passes, for a panel of traffic. text and method may be the peer's: escape them before showing them. */
export interface Passing {
  direction: 'sent' | 'received';
  kind: Kind;
  /** '' where there is none. */
  method: string;
  /** The raw JSON token; undefined where there is none. */
  id: string | undefined;
  /** Of the JSON text, without its frame. */
  bytes: number;
  text: string;
}

/** Options of every adapter. */
export interface AdapterOptions extends RelayOptions {
  /** Sees every message, in order: a sent one when it is in the queue, a received one before the library does. */
  onMessage?: (message: Passing) => void;
}

/** What a message is, by its envelope. */
export type Envelope = Pick<Relayed, 'class' | 'id' | 'method'>;

/** The library's side. */
export interface Library {
  message(text: string, message: Envelope): void;
  /** Something came that is no message. The session lives. */
  invalid(error: InvalidMessageError): void;
  /** Nothing more will come. error says why, where it was no clean end and not our own wish. */
  end(error: SessionError | undefined): void;
  /** It rejects its open requests when it hears of the end; else they are rejected before. */
  readonly settlesOnEnd: boolean;
  /** Whether arrays are taken apart; absent: they are invalid. */
  takesBatches?(): boolean;
}

// Numbers of vscode-jsonrpc's for answers that never came, in the range that JSON-RPC leaves to implementations.
const answerLost = -32097;
const answerUnreadable = -32098;

const refusedAnswersMax = 1024; // the oldest is forgotten first

/** The words of each class. */
export const kinds = {
  [Class.Invalid]: 'invalid',
  [Class.Request]: 'request',
  [Class.Notification]: 'notification',
  [Class.Result]: 'result',
  [Class.Error]: 'error',
  [Class.Batch]: 'batch',
} as const;

export class Seam {
  readonly relay: Relay;
  readonly #onMessage: AdapterOptions['onMessage'];
  readonly #open = new Set<unknown>(); // ids of the library's requests that have no answer yet
  readonly #refusedAnswers = new Set<unknown>(); // ids of the peer's that got an error instead of an answer over the limit
  #library: Library | undefined;

  constructor(engine: Engine, transport: Transport, options: AdapterOptions) {
    const { onMessage, ...relayOptions } = options;
    this.relay = new Relay(engine, transport, relayOptions);
    this.#onMessage = onMessage;
  }

  /** Hands everything to the library from now on. What came before has waited. */
  listen(library: Library): () => void {
    this.#library = library;
    const stop = this.relay.listen({
      message: (message) => this.#received(message, library),
      end: (why) => {
        this.#loseAnswers(library, why);
        library.end(isExpected(why) ? undefined : why);
      },
    });
    return () => {
      if (this.#library === library) this.#library = undefined;
      stop();
    };
  }

  /** Queues a message, or throws why not (Relay.sendNow). */
  sendNow(message: Written): void {
    this.#began(message);
    try {
      this.relay.sendNow(message.bytes, message.method);
    } catch (error) {
      this.#refused(message, error);
      throw error;
    }
    this.#observeSent(message);
  }

  /** Queues a message when there is room for it, in the order of the calls (Relay.send). */
  async send(message: Written): Promise<void> {
    this.#began(message);
    try {
      await this.relay.send(message.bytes, message.method);
    } catch (error) {
      this.#refused(message, error);
      throw error;
    }
    this.#observeSent(message);
  }

  /** Ends everything at once: the library's open requests are rejected before this returns. */
  dispose(): Promise<void> {
    if (this.#library !== undefined) this.#loseAnswers(this.#library, new SessionError(Reason.Aborted));
    return this.relay.dispose();
  }

  #received(message: Relayed, library: Library): void {
    const { method, id, bytes, text } = message;
    this.#observe({ direction: 'received', kind: kinds[message.class], method, id, bytes, text });
    if (message.error !== undefined) return this.#receivedInvalid(message, message.error, library);
    if (message.class === Class.Batch) return this.#receivedBatch(message, library);
    if (message.class === Class.Request) this.#refusedAnswers.delete(idOf(id)); // the id is used again
    if (isAnswer(message.class)) this.#open.delete(idOf(id));
    this.#hand(text, message, library);
  }

  /** What names an open request and is no answer fails that request, so that nobody waits for another (MSG-5). */
  #receivedInvalid({ id, method }: Relayed, error: InvalidMessageError, library: Library): void {
    if (method === '' && this.#open.has(idOf(id))) this.#failRequest(idOf(id), answerUnreadable, error.message, library);
    library.invalid(error);
  }

  #receivedBatch({ offset, text }: Relayed, library: Library): void {
    if (!library.takesBatches?.()) return library.invalid(new InvalidMessageError(Invalid.Batch, Hint.None, offset, text));
    for (const entry of JSON.parse(text) as unknown[]) {
      if (typeof entry !== 'object' || entry === null) {
        library.invalid(new InvalidMessageError(Invalid.Scalar, Hint.None, offset, text));
        continue;
      }
      const part = written(entry);
      if (part.method === '') this.#open.delete(idOf(part.id));
      this.#hand(part.text, part, library);
    }
  }

  #began({ class: kind, id, method }: Written): void {
    if (kind === Class.Request && isId(idOf(id))) this.#open.add(idOf(id));
    const isSecondAnswer = isAnswer(kind) && this.#refusedAnswers.delete(idOf(id));
    if (isSecondAnswer) throw new CallError({ op: 'send', method, code: UsageError.Answered }); // REQ-2
  }

  #refused(message: Written, error: unknown): void {
    if (message.class === Class.Request) this.#open.delete(idOf(message.id));
    const isTooLarge = error instanceof CallError && error.code === UsageError.TooLarge;
    if (isTooLarge && isAnswer(message.class) && message.id !== undefined) this.#answerTooLarge(message.id);
  }

  /** The peer does not wait for an answer that is over the limit: it gets an error on its id (FRAME-5). */
  #answerTooLarge(id: string): void {
    this.#refusedAnswers.add(idOf(id)); // some libraries answer with the failure themselves
    if (this.#refusedAnswers.size > refusedAnswersMax) this.#refusedAnswers.delete(this.#refusedAnswers.values().next().value);
    const error = { code: Code.Internal, message: 'Internal error: the answer is over the frame limit' };
    const answer = written({ error }, `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`, id);
    this.relay.send(answer.bytes).then(
      () => this.#observeSent(answer),
      (failure: unknown) => this.relay.report(failure, 'refusing an answer over the limit'),
    );
  }

  #loseAnswers(library: Library, why: SessionError): void {
    if (library.settlesOnEnd) return;
    for (const id of [...this.#open]) this.#failRequest(id, answerLost, why.message, library);
  }

  #failRequest(id: unknown, code: number, message: string, library: Library): void {
    this.#open.delete(id);
    const text = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
    this.#hand(text, { class: Class.Error, id: JSON.stringify(id), method: '' }, library);
  }

  /** A message that the library chokes on is not the next one's end. */
  #hand(text: string, message: Envelope, library: Library): void {
    try {
      library.message(text, message);
    } catch (error) {
      this.relay.report(error, 'listener');
    }
  }

  #observeSent({ class: kind, method, id, bytes, text }: Written): void {
    this.#observe({ direction: 'sent', kind: kinds[kind], method, id, bytes: bytes.length, text });
  }

  #observe(message: Passing): void {
    try {
      this.#onMessage?.(message);
    } catch (error) {
      this.relay.report(error, 'onMessage');
    }
  }
}

function isAnswer(kind: Class): boolean {
  return kind === Class.Result || kind === Class.Error;
}

function isExpected(why: SessionError): boolean {
  return why.isClean || (why.reason === Reason.Aborted && why.cause === undefined);
}

/** What an answer can name. */
function isId(id: unknown): boolean {
  return typeof id === 'number' || typeof id === 'string';
}

/** An id as its value, so that 1 and 1.0 are one id and 1 and "1" are two (CALL-2). */
function idOf(token: string | undefined): unknown {
  return token === undefined ? undefined : JSON.parse(token);
}

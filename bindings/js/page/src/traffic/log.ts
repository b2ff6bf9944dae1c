// The log: the newest messages, requests joined with their answers, all of it bounded.

import { openBatch } from './batch.js';
import { isAnswer, type Message, type Passing } from './message.js';

export interface LogBounds {
  /** Messages kept; the oldest go first. */
  messagesMax: number;
  /** Characters of text kept; the oldest texts go first, and leave their message behind. */
  textMax: number;
}

const nameMax = 256; // characters of a method or id; a peer may make either as long as a frame
const defaults: LogBounds = { messagesMax: 100_000, textMax: 32 << 20 };

/** A ring of messages. Ordinals count from the first message ever; `first` is the oldest kept. */
export class TrafficLog {
  readonly #bounds: LogBounds;
  readonly #ring: Message[] = []; // the message n lies at n modulo messagesMax
  readonly #open = new Map<string, number>(); // requests without an answer, by direction and id
  #end = 0;
  #first = 0;
  #textFirst = 0; // texts of older messages are gone
  #textSize = 0;

  constructor(bounds: LogBounds = defaults) {
    this.#bounds = bounds;
  }

  /** The oldest ordinal kept. */
  get first(): number {
    return this.#first;
  }

  /** One more than the newest ordinal. */
  get end(): number {
    return this.#end;
  }

  at(ordinal: number): Message | undefined {
    if (ordinal < this.#first || ordinal >= this.#end) return undefined;
    return this.#ring[ordinal % this.#bounds.messagesMax];
  }

  /** Adds what passed, and behind a batch the messages in it. */
  add(passing: Passing, atMs: number): Message {
    if (passing.kind !== 'batch') return this.#put(passing, atMs, false);
    const { title, entries } = openBatch(passing);
    const batch = this.#put({ ...passing, method: title }, atMs, false);
    for (const entry of entries) this.#put(entry, atMs, true);
    return batch;
  }

  /** Forgets every message; ordinals go on. */
  clear(): void {
    this.#ring.length = 0;
    this.#open.clear();
    this.#first = this.#textFirst = this.#end;
    this.#textSize = 0;
  }

  /** The session has ended: whatever has no answer gets none, and a later session starts its ids anew. */
  endSession(): void {
    this.#open.clear();
  }

  #put(passing: Passing, atMs: number, inBatch: boolean): Message {
    if (this.#end - this.#first === this.#bounds.messagesMax) this.#dropOldest();
    const { direction, kind, text } = passing;
    const id = (passing.id ?? '').slice(0, nameMax);
    const request = this.#takeRequest(passing, id);
    const ordinal = this.#end++;
    const message: Message = {
      ordinal,
      atMs,
      direction,
      kind,
      inBatch,
      method: isAnswer(passing) ? (request?.method ?? '') : passing.method.slice(0, nameMax),
      id,
      sizeBytes: passing.bytes,
      text,
      partner: request?.ordinal,
      latencyMs: request === undefined ? undefined : atMs - request.atMs,
    };
    if (request !== undefined) {
      request.partner = ordinal;
      request.latencyMs = message.latencyMs;
    }
    if (kind === 'request') this.#open.set(direction + id, ordinal);
    this.#ring[ordinal % this.#bounds.messagesMax] = message;
    this.#textSize += text.length;
    this.#dropTexts();
    return message;
  }

  #takeRequest(passing: Passing, id: string): Message | undefined {
    if (!isAnswer(passing)) return undefined;
    const key = (passing.direction === 'received' ? 'sent' : 'received') + id;
    const ordinal = this.#open.get(key);
    this.#open.delete(key);
    return ordinal === undefined ? undefined : this.at(ordinal);
  }

  #dropOldest(): void {
    const oldest = this.at(this.#first)!;
    const key = oldest.direction + oldest.id;
    if (this.#open.get(key) === oldest.ordinal) this.#open.delete(key);
    this.#textSize -= oldest.text?.length ?? 0;
    this.#first++;
    this.#textFirst = Math.max(this.#textFirst, this.#first);
  }

  #dropTexts(): void {
    while (this.#textSize > this.#bounds.textMax) {
      const message = this.at(this.#textFirst++)!;
      this.#textSize -= message.text!.length;
      message.text = undefined;
    }
  }
}

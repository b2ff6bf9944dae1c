// Scratch: where the arguments of one export are put.

import type { LinearMemory } from './memory.js';

/** JSON text as a string, or as UTF-8 bytes. */
export type Text = string | Uint8Array;

/** An address and a size in bytes. */
export interface Span {
  readonly address: number;
  readonly bytes: number;
}

/** {0, 0} is an absent member, which differs from an empty one. */
export const absent: Span = { address: 0, bytes: 0 };

const encoder = new TextEncoder();
const encodedInPlaceMax = 4096; // UTF-16 units of a string that is worth room for its worst case

/**
 * Makes an argument ready to be put: a long string becomes bytes, so that bytesMaxOf is near the truth,
 * and bytes of linear memory itself (an event's) a copy, since making room may move it.
 */
export function ready<T extends Text | undefined>(text: T, memory: LinearMemory): T | Uint8Array {
  if (typeof text === 'string') return text.length > encodedInPlaceMax ? encoder.encode(text) : text;
  return text?.buffer === memory.bytes.buffer ? new Uint8Array(text) : text;
}

/** The room that texts may need, in bytes. */
export function bytesMaxOf(...texts: (Text | undefined)[]): number {
  let sum = 0;
  for (const text of texts) sum += text === undefined ? 0 : typeof text === 'string' ? 3 * text.length : text.length;
  return sum;
}

/** The block of scratch that an instance last handed out, being filled. */
export class Scratch {
  bytes = 0; // size of the block
  #address = 0;
  #used = 0;

  constructor(readonly memory: LinearMemory) {}

  /** Takes over another block. */
  reset(address: number, bytes: number): void {
    this.#address = address;
    this.bytes = bytes;
  }

  rewind(): void {
    this.#used = 0;
  }

  /** Copies a text in and says where it is; undefined is an absent member. */
  put(text: Text | undefined): Span {
    if (text === undefined) return absent;
    const address = this.#address + this.#used;
    const end = this.#address + this.bytes;
    let bytes = text.length;
    if (typeof text === 'string') {
      bytes = encoder.encodeInto(text, this.memory.bytes.subarray(address, end)).written;
    } else {
      this.memory.bytes.set(text, address);
    }
    this.#used += bytes;
    return { address, bytes };
  }

  /** Leaves room for records, which begin at a multiple of 8 and are cleared; called before any put. */
  records(bytes: number): number {
    const address = this.#address + this.#used;
    this.memory.bytes.fill(0, address, address + bytes);
    this.#used += bytes;
    return address;
  }
}

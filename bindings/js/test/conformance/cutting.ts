// The ways in which a vector's bytes are cut into reads (FRAME-1).

import { framingOf, wireBytes } from './player.js';
import { openingOf } from './opening.js';
import type { Vector } from './vector.js';

/** One way. at = 0 cuts nothing, 'every' makes each byte a piece. */
export class Cutting {
  constructor(
    readonly at: number | 'every',
    /** A turn follows each piece. */
    readonly hasTurns: boolean,
  ) {}

  /** How much of the next size bytes, which begin at offset, is read at once. */
  pieceSize(offset: number, size: number): number {
    if (this.at === 'every') return Math.min(size, 1);
    return this.at > offset && this.at < offset + size ? this.at - offset : size;
  }

  toString(): string {
    const cut = this.at === 'every' ? 'byte by byte' : this.at === 0 ? 'whole' : `cut at ${this.at}`;
    return this.hasTurns ? `${cut}, a turn after each piece` : cut;
  }
}

export const whole = new Cutting(0, false);

const everyByteBytesMax = 64 << 10;
const everyPlaceBytesMax = 2 << 10;
const nearBytes = 16; // in larger inputs, cuts are made this near to each boundary
const stride = 3; // of the two-part cuts every third is played, as wazero does

/** All ways in which this home plays a vector, the uncut one first. */
export function* cuttings(vector: Vector): Generator<Cutting> {
  yield whole;
  const opening = openingOf(vector);
  if (opening.cuts === 'none') return;
  const { places, size } = placesOf(vector);
  for (const hasTurns of opening.cuts === 'all' ? [false, true] : [false]) {
    if (hasTurns) yield new Cutting(0, true);
    if (size <= everyByteBytesMax) yield new Cutting('every', hasTurns);
    for (let i = stride - 1; i < places.length; i += stride) yield new Cutting(places[i]!, hasTurns);
  }
}

/** Where a vector is cut in two, and the size of its whole input. */
function placesOf(vector: Vector): { places: number[]; size: number } {
  const framing = framingOf(openingOf(vector));
  const near = new Set<number>();
  let size = 0;
  for (const input of vector.inputs) {
    if (input.verb !== '> in' && input.verb !== '> frame') continue;
    for (let at = size - nearBytes; at <= size + nearBytes; at++) near.add(at);
    size += wireBytes(input, framing).length * input.repeat;
  }
  if (size <= everyPlaceBytesMax) return { places: Array.from({ length: Math.max(size - 1, 0) }, (_, i) => i + 1), size };
  for (let at = size - nearBytes; at < size; at++) near.add(at);
  for (let at = 1; at < size; at *= 2) near.add(at);
  const places = [...near].filter((at) => at > 0 && at < size).sort((a, b) => a - b);
  return { places, size };
}

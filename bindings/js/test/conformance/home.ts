// One home of the conformance vectors: everything that Node and the page share.

import type { Engine } from '../../src/engine.js';
import { cuttings, whole } from './cutting.js';
import { toBytes } from './escape.js';
import { play } from './player.js';
import { sha256 } from './sha256.js';
import { parse, type Vector } from './vector.js';

/** The vectors of all files, by name and text; the files in order of name. */
export function parseAll(files: Record<string, string>): Vector[] {
  return Object.keys(files)
    .sort()
    .flatMap((file) => parse(file, files[file]!));
}

/** What DIGEST holds: a line a vector and the total, and the total by itself. Vectors are played uncut. */
export function digest(engine: Engine, vectors: readonly Vector[], gaps: ReadonlySet<string>): { text: string; total: string } {
  let lines = '';
  for (const vector of vectors) {
    if (gaps.has(vector.name)) continue;
    const observations = play(engine, vector, whole).filter((line) => line.startsWith('< '));
    lines += `${vector.name} ${sha256(toBytes(observations.map((line) => `${line}\n`).join('')))}\n`;
  }
  const total = sha256(toBytes(lines));
  return { text: `${lines}total ${total}\n`, total };
}

/** Plays a vector in every way and describes the first that comes out differently; undefined: none. */
export function mismatch(engine: Engine, vector: Vector): string | undefined {
  const want = vector.lines;
  for (const cutting of cuttings(vector)) {
    const got = play(engine, vector, cutting);
    const at = want.findIndex((line, i) => line !== got[i]);
    if (at < 0 && got.length === want.length) continue;
    const from = at < 0 ? want.length : at;
    const shown = (mark: string, lines: string[]): string => lines.map((line) => `${mark} ${line}\n`).join('');
    return `${vector.name}: ${cutting.toString()}:\n${shown(' ', want.slice(Math.max(from - 6, 0), from))}${shown('-', want.slice(from, from + 8))}${shown('+', got.slice(from, from + 8))}`;
  }
  return undefined;
}

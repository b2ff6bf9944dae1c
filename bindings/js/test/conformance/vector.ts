// Reading vectors: conformance/README.md has the grammar. Only inputs are taken apart; observations
// are compared as lines, since the files are canonical.

import { unescaped } from './escape.js';

/** One line that tells the machine something. */
export interface Input {
  line: string;
  verb: string;
  repeat: number;
  /** Words that have no name, in order. */
  words: string[];
  /** name=value, and flags as ''. */
  options: Map<string, string>;
  /** The rest of the line; undefined where there is none. */
  rest: string | undefined;
}

export interface Vector {
  name: string;
  /** open, method and ## lines. */
  opening: Input[];
  inputs: Input[];
  /** All lines behind the title, observations among them. */
  lines: string[];
}

/** How the words behind a verb are read: mandatory words, options, and whether a rest follows. */
interface Shape {
  words: number;
  options: string[];
  rest: boolean;
}

const shape = (words: number, rest = false, ...options: string[]): Shape => ({ words, options, rest });
const call = shape(1, true, 'deadline', 'extend', 'deadline-max', 'token', 'id', 'quiet');

const shapes: Record<string, Shape> = {
  open: shape(0, true),
  method: shape(2, false, 'notification', 'supersede'),
  '##': shape(0, true),
  '> in': shape(0, true),
  '> frame': shape(0, true),
  '> eof': shape(0),
  '> at': shape(1),
  '> hold': shape(0),
  '> release': shape(0),
  '> take': shape(0),
  '> wrote': shape(1),
  '> write-failed': shape(0),
  '> call': call,
  '> notify': shape(1, true),
  '> add-call': call,
  '> add-notify': shape(1, true),
  '> batch': shape(0),
  '> cancel': shape(1),
  '> reply': shape(1, true),
  '> fail': shape(2, true, 'data'),
  '> done': shape(1),
  '> cancel-request': shape(1),
  '> want': shape(1),
  '> forward': shape(0, true),
  '> finish-input': shape(0),
  '> shutdown': shape(0),
  '> abort': shape(0),
  '> trace-start': shape(0),
  '> trace-stop': shape(0),
  '> set-version': shape(0, true),
  '> stats': shape(0, true),
  '> state': shape(0, true),
};

const flags = new Set(['quiet', 'notification']);
const openingVerbs = new Set(['open', 'method', '##']);

/** Reads one file of vectors. */
export function parse(file: string, text: string): Vector[] {
  const vectors: Vector[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    if (line === '') continue;
    try {
      if (line.startsWith('# ')) vectors.push(begin(file, line));
      else addLine(vectors.at(-1), line);
    } catch (error) {
      throw new SyntaxError(`${file}:${i + 1}: ${(error as Error).message}`);
    }
  }
  return vectors;
}

function begin(file: string, line: string): Vector {
  const [, title] = /^# [A-Z0-9]+-\d+(?: [A-Z0-9]+-\d+)* {2}(\S.*)$/.exec(line) ?? [];
  if (title === undefined) throw new SyntaxError('want a title: # RULE-1 RULE-2  Sentence.');
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return { name: `${file.replace(/\.rpc$/, '')}/${slug}`, opening: [], inputs: [], lines: [] };
}

function addLine(vector: Vector | undefined, line: string): void {
  if (vector === undefined) throw new SyntaxError('want a title: # RULE-1  Sentence.');
  vector.lines.push(line);
  if (line.startsWith('< ')) return;
  const input = parseInput(line);
  (openingVerbs.has(input.verb) && vector.inputs.length === 0 ? vector.opening : vector.inputs).push(input);
}

function parseInput(line: string): Input {
  const [, verb = '', times, tail = ''] = /^((?:> )?[^ *]+)(?:\*(\d+))?(?: (.*))?$/.exec(line) ?? [];
  const known = shapes[verb];
  if (known === undefined) throw new SyntaxError(`unknown verb ${JSON.stringify(verb)}`);
  const input: Input = { line, verb, repeat: Number(times ?? 1), words: [], options: new Map(), rest: undefined };
  let left = tail;
  const takeWord = (): string => {
    const [first = ''] = left.split(' ', 1);
    left = left.slice(first.length + 1);
    return first;
  };
  for (let i = 0; i < known.words; i++) input.words.push(unescaped(takeWord()));
  for (const option of known.options) {
    const [first = ''] = left.split(' ', 1);
    if (flags.has(option) ? first === option : first.startsWith(`${option}=`)) {
      input.options.set(option, unescaped(takeWord().slice(option.length + 1)));
    }
  }
  if (left !== '' && !known.rest) throw new SyntaxError(`nothing is known about ${JSON.stringify(left)}`);
  if (left !== '') input.rest = verb === 'open' || verb === '> stats' || verb === '> state' ? left : unescaped(left);
  return input;
}

/** Settings of open, and the names that stats and state ask for. */
export function settings(input: Input): [name: string, value: string][] {
  return (input.rest ?? '').split(' ').map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [pair, ''] : [pair.slice(0, at), unescaped(pair.slice(at + 1))];
  });
}

const units: Record<string, number> = { s: 1e9, ms: 1e6, us: 1e3, ns: 1 };

/** 100ms in nanoseconds; never is Infinity. */
export function time(text: string): number {
  if (text === 'never') return Infinity;
  const [, count, unit = ''] = /^(\d+)(s|ms|us|ns)$/.exec(text) ?? [];
  if (count === undefined) throw new SyntaxError(`${JSON.stringify(text)}: want a count and ns, us, ms or s`);
  return Number(count) * units[unit]!;
}

/** The inverse of time: the largest unit that divides it. */
export function spellTime(ns: number): string {
  if (ns === Infinity) return 'never';
  const [unit = 'ns', size = 1] = Object.entries(units).find(([, each]) => ns % each === 0) ?? [];
  return `${ns / size}${unit}`;
}

// The spelling in JSON, one line a message: docs/capture.md describes it.

import type { Kind, Passing } from '../traffic/message.js';
import { memberText } from './raw.js';
import { CaptureError } from './records.js';

const lineFeed = 0x0a;
const msMax = 2 ** 53 / 1e6;
const kinds = new Set<unknown>(['request', 'notification', 'result', 'error', 'batch', 'invalid'] satisfies Kind[]);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What a line says: a message, bytes that are in none or were lost, or that a session begins. */
export interface Line {
  from: string;
  ms: number;
  passing?: Passing;
  lostBytes?: number;
  noiseBytes?: number;
  started?: string;
  command?: string;
}

/** Whether a file begins as a line of JSON does. */
export const isLines = (file: Uint8Array): boolean => file[0] === 0x7b;

/** Yields the lines, and throws a CaptureError where one is torn or is none. */
export function* lines(file: Uint8Array): Generator<Line> {
  let number = 0;
  for (let at = 0; at < file.length; ) {
    number++;
    const found = file.indexOf(lineFeed, at);
    const end = found < 0 ? file.length : found;
    try {
      const text = utf8.decode(file.subarray(at, end));
      if (text.trim() !== '') yield parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)) throw error;
      throw new CaptureError(`line ${number}: ${found < 0 ? 'the last line is torn' : `no line of a capture: ${error.message}`}`);
    }
    at = end + 1;
  }
}

type Members = Partial<Record<'from' | 'ms' | 'kind' | 'method' | 'bytes' | 'text' | 'started' | 'command' | 'inBatch', unknown>>;

function parse(text: string): Line {
  const line = JSON.parse(text) as Members | null;
  const { from, ms = 0, kind, bytes = 0, started, command, inBatch } = Object(line) as Members;
  if (typeof from !== 'string') throw new RangeError('it has no from');
  if (typeof ms !== 'number' || ms < 0 || ms >= msMax) throw new RangeError('its ms is no time from 0 to 104 days');
  if (typeof bytes !== 'number' || bytes < 0) throw new RangeError('its bytes are no count');
  if (from === 'capture') {
    return { from, ms, started: String(started ?? ''), command: Array.isArray(command) ? command.map(String).join(' ') : '' };
  }
  if (kind === 'gap') return { from, ms, lostBytes: bytes };
  if (kind === 'noise') return { from, ms, noiseBytes: bytes };
  if ((from !== 'client' && from !== 'server') || !kinds.has(kind)) return { from, ms };
  if (inBatch === true) return { from, ms }; // it came with the text of its batch
  return { from, ms, passing: passing(text, line!, from, bytes) };
}

function passing(text: string, line: Members, from: 'client' | 'server', bytes: number): Passing {
  return {
    direction: from === 'client' ? 'sent' : 'received',
    kind: line.kind as Kind,
    method: typeof line.method === 'string' ? line.method : '',
    id: memberText(text, 'id'),
    bytes,
    text: memberText(text, 'message') ?? (typeof line.text === 'string' ? line.text : ''),
  };
}

// The binary spelling of a capture: docs/capture.md describes it.

import { MsgpackReader, type Value } from './msgpack.js';

const preamble = [0x89, 0x70, 0x61, 0x72, 0x6c, 0x65, 0x79, 0x01];
const recordBytesMax = (64 << 20) + (4 << 10);
const timeMax = 2 ** 53; // nanoseconds

/** What a record of a capture says; the numbers are those of the file. */
export const Op = {
  Capture: 65,
  Client: 66,
  Server: 67,
  Stderr: 68,
  ClientEOF: 69,
  ServerEOF: 70,
  ClientGap: 71,
  ServerGap: 72,
  StderrGap: 73,
  Signal: 74,
  Exit: 75,
} as const;

export interface CaptureRecord {
  op: number;
  /** Nanoseconds since the session began. */
  time: number;
  /** What passed; a part of the file's bytes. */
  text: Uint8Array;
  count: number;
  settings: [name: string, value: string][];
}

/** A capture that cannot be read further. What was read before holds. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
}

/** Whether a file is a capture in the binary spelling; its version is the last byte of eight. */
export const isBinary = (file: Uint8Array): boolean => preamble.every((byte, i) => file[i] === byte);

/** Yields the records, and throws a CaptureError where one is torn or is none. */
export function* records(file: Uint8Array): Generator<CaptureRecord> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = preamble.length; at < file.length; ) {
    const have = file.length - at;
    if (have < 4) throw new CaptureError(`byte ${at}: the last record is torn: ${have} of 4 bytes`);
    const size = view.getUint32(at);
    if (size === 0 || size > recordBytesMax) {
      throw new CaptureError(`byte ${at}: no record: a length of ${size} bytes, want 1 to ${recordBytesMax}`);
    }
    if (have - 4 < size) throw new CaptureError(`byte ${at}: the last record is torn: ${have} of ${size + 4} bytes`);
    try {
      yield decode(file.subarray(at + 4, at + 4 + size));
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
      throw new CaptureError(`byte ${at}: no record: ${error.message}`);
    }
    at += 4 + size;
  }
}

function decode(spelled: Uint8Array): CaptureRecord {
  const reader = new MsgpackReader(spelled);
  const record: CaptureRecord = { op: 0, time: 0, text: new Uint8Array(), count: 0, settings: [] };
  const seen = new Set<string>();
  for (let left = reader.mapSize(); left > 0; left--) {
    const name = reader.name();
    const value = reader.value();
    if (seen.has(name)) throw new RangeError(`${name} comes twice`);
    seen.add(name);
    set(record, name, value);
  }
  if (!reader.isAtEnd) throw new RangeError('bytes follow the record');
  if (record.op < Op.Capture || record.op > Op.Exit) throw new RangeError(`op ${record.op} is in no capture`);
  return record;
}

/** Members that a panel of traffic does not show are passed over. */
function set(record: CaptureRecord, name: string, value: Value): void {
  switch (name) {
    case 'op':
      record.op = number(value, 255);
      break;
    case 'time':
      record.time = number(value, timeMax);
      break;
    case 'count':
      record.count = number(value, 2 ** 63);
      break;
    case 'text':
      if (!(value instanceof Uint8Array)) throw new RangeError('text that is no bytes');
      record.text = value;
      break;
    case 'settings':
      record.settings = settings(value);
      break;
  }
}

function number(value: Value, max: number): number {
  if (typeof value !== 'number' || value < 0 || value > max)
    throw new RangeError(`${String(value)}: want a number from 0 to ${max}`);
  return value;
}

const utf8 = new TextDecoder();

function settings(value: Value): [string, string][] {
  if (!Array.isArray(value)) throw new RangeError('settings that are no array');
  return value.map((pair) => {
    const [name, text] = Array.isArray(pair) && pair.length === 2 ? pair : [];
    if (!(name instanceof Uint8Array && text instanceof Uint8Array)) throw new RangeError('a setting that is no pair');
    return [utf8.decode(name), utf8.decode(text)];
  });
}

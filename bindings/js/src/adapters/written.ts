// A message that a library has written.

import { Class, UsageError } from '../abi.gen.js';
import { CallError } from '../faults.js';
import { encode } from '../json.js';

/** A JSON text, and what its envelope says. */
export interface Written {
  readonly class: Class;
  /** The raw JSON token; undefined where there is none. */
  readonly id: string | undefined;
  /** '' where there is none. */
  readonly method: string;
  readonly text: string;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** Describes a message object; its text is encoded where the library has not done so. */
export function written(message: object, given?: string, id?: string): Written {
  const envelope = message as { id?: unknown; method?: unknown; error?: unknown };
  const text = given ?? encode(message)!;
  return {
    class: classOf(envelope),
    id: id ?? encode(envelope.id),
    method: typeof envelope.method === 'string' ? envelope.method : '',
    text,
    bytes: encoder.encode(text),
  };
}

/** Describes a message that is text already. What is no object is the library's mistake. */
export function writtenText(text: string): Written {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (cause) {
    throw new CallError({ op: 'send', method: '', code: UsageError.BadJSON, cause });
  }
  if (typeof message !== 'object' || message === null) throw new CallError({ op: 'send', method: '', code: UsageError.BadJSON });
  return written(message, text);
}

function classOf(envelope: { id?: unknown; method?: unknown; error?: unknown }): Class {
  if (Array.isArray(envelope)) return Class.Batch;
  if (envelope.method !== undefined) return envelope.id === undefined ? Class.Notification : Class.Request;
  return envelope.error === undefined ? Class.Result : Class.Error;
}

// The messages in a batch, each as if it had come alone.

import { entryTexts, memberText } from '../capture/raw.js';
import { count } from './format.js';
import type { Passing } from './message.js';

const listedMax = 1024; // as many requests as a batch may have (MSG-8); a flood does not push out the rest of the log

const utf8 = new TextEncoder();

/** What a batch holds, in a word, and its messages, the first 1,024 of them. */
export function openBatch({ direction, text }: Passing): { title: string; entries: Passing[] } {
  const texts = entryTexts(text);
  const entries = texts.slice(0, listedMax).map((entry) => ({
    direction,
    text: entry,
    bytes: utf8.encode(entry).length,
    ...judge(entry),
  }));
  const title = `batch of ${count(texts.length)}`;
  return { title: texts.length > listedMax ? `${title}, the first ${count(listedMax)} listed` : title, entries };
}

/** What one entry is (MSG-2). Its id is kept as it is spelled. */
function judge(text: string): Pick<Passing, 'kind' | 'method' | 'id'> {
  const message = parse(text);
  const id = memberText(text, 'id');
  const invalid = { kind: 'invalid', method: '', id } as const;
  if (message?.jsonrpc !== '2.0') return invalid;
  const { method, error } = message;
  if (typeof method === 'string') return { kind: id === undefined ? 'notification' : 'request', method, id };
  if (method !== undefined) return invalid;
  if (error !== undefined && error !== null) return { kind: 'error', method: '', id };
  return 'result' in message ? { kind: 'result', method: '', id } : invalid;
}

/** Undefined for what is no object, as in a file that says more than is so. */
function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

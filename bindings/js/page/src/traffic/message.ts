// One message of the session, as the panel keeps it.

import type { Kind, Passing } from '../../../src/adapters/codemirror.js';

export type { Kind, Passing };
export type Direction = Passing['direction'];

/** A message in the log. */
export interface Message {
  /** Its place since the page was opened, from 0. */
  readonly ordinal: number;
  /** On the clock of performance.now(). */
  readonly atMs: number;
  readonly direction: Direction;
  readonly kind: Kind;
  /** It came in the batch before it. */
  readonly inBatch: boolean;
  /** Of an answer: the method of its request, '' where the log has none. */
  readonly method: string;
  /** The raw JSON token; '' where there is none. It and the method are cut where they are longer than anybody reads. */
  readonly id: string;
  readonly sizeBytes: number;
  /** Undefined once the log had no room for it. */
  text: string | undefined;
  /** The ordinal of the answer, or of the request. */
  partner: number | undefined;
  /** From the request to its answer, at both. */
  latencyMs: number | undefined;
}

export const isAnswer = ({ kind }: { kind: Kind }): boolean => kind === 'result' || kind === 'error';

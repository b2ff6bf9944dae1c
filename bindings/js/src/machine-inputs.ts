// What a machine is given beside texts, bytes and time.

import type { Text } from './scratch.js';

/** The optional parts of one call. */
export interface MachineCallOptions {
  /** When the call times out; one due at the last advance is refused as Timeout (CALL-4). */
  deadline?: number;
  /** Progress restarts the budget with this length, up to deadlineMax; both with progressToken. */
  extend?: number;
  deadlineMax?: number;
  /** The raw JSON token that progress of this call carries (CALL-10). */
  progressToken?: Text;
  /** The wire id, a raw JSON string or integer (CALL-1). */
  id?: Text;
  /** No cancel notice is sent for it (CALL-6). */
  quiet?: boolean;
}

/** One member of a batch. */
export interface MachineBatchItem extends MachineCallOptions {
  method: Text;
  params?: Text;
  notification?: boolean;
}

/** A replacement of the bytes from start to end, not included, of a frame that is forwarded. */
export interface Splice {
  start: number;
  end: number;
  value: Text;
}

/** What a transport has done before a turn. */
export interface MachineTurn {
  /** Bytes of the peer's, as commit takes them. */
  received?: Uint8Array;
  /** They are a message of the transport, as commitMessage takes it. */
  isMessage?: boolean;
  /** How much more of the block taken is written. */
  wroteBytes?: number;
}

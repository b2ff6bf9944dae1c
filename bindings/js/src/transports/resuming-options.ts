// What a resuming socket is told when it is made, and what it says of itself.

import type { Clock } from '../clock.js';
import type { Dial, SocketError } from './attempt.js';
import type { WakeUps } from './wake.js';

export type Address = string | URL;

/** Options of resumingSocket; each has a default. */
export interface ResumingOptions {
  /** Ends the session when it is aborted. */
  signal?: AbortSignal;
  /** Attempts in a row that may fail before the session ends; 12. */
  attemptsMax?: number;
  /** The wait before the second attempt in a row, and the longest; 250 and 8,000. Each is spread by a half both ways. */
  delayMs?: number;
  delayMaxMs?: number;
  /** How long an attempt may take until its session is live; 10,000. */
  connectTimeoutMs?: number;
  /**
   * How often the other side is to give a sign of life, 100 to 3,600,000 ms; 20,000. A socket on which
   * nothing was heard for two and a half times as long is lost (RESUME-10). 0: it is asked for none.
   */
  beatMs?: number;
  /** What sent texts may hold while they may have to be sent again (RESUME-5); 4 MiB. */
  bytesMax?: number;
  /** The largest text; 16 MiB. */
  textBytesMax?: number;
  /** How long the session waits for a socket (RESUME-7); 60,000. */
  ageMs?: number;
  /** Sends bytes instead of text. Both are understood. */
  binary?: boolean;
  /** Makes a socket; new WebSocket where the platform has it. */
  dial?: Dial;
  clock?: Clock;
  /** A number from 0 to 1, for the spread. */
  random?: () => number;
  /** Tells when to hasten: the browser's online, offline and visibilitychange. */
  wakeUps?: WakeUps;
}

/** Where a resuming socket stands. */
export type ResumingState =
  | { phase: 'connecting'; attempt: number } // attempts in a row, from 1
  | { phase: 'open'; isResumable: boolean; session: string }
  | { phase: 'waiting'; attempt: number; delayMs: number; error: SocketError } // why the last one failed
  | { phase: 'closed'; error: unknown }; // undefined: it was closed in order

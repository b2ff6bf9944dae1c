// What a session is told when it is made.

import type { Clock } from './clock.js';
import type { Config, Limits } from './config.js';
import type { Observation } from './observation.js';

/** What a session is told when it is made: a configuration, and what goes on beside the machine. */
export interface PeerOptions extends Omit<Config, 'inbound' | 'methods'> {
  /** Gets what is nobody's outcome: invalid frames, noise, errors for nobody, a stalled peer, the end. */
  observe?: (observation: Observation) => void;
  /** Gets what a handler or a callback of the application threw; console.error where it is left out. */
  onError?: (error: unknown, where: string) => void;
  /** The time that budgets and deadlines are counted in; the system's where it is left out. */
  clock?: Clock;
}

/**
 * Defaults smaller than core's, in bytes, so that one instance of 1 GiB holds several sessions; a page
 * cannot pause its sockets, and BACK-2 bounds what they bring.
 */
export const limitDefaults = {
  frameBytesMax: 16 << 20,
  queuedBytesMax: 8 << 20,
  parkedBytesMax: 8 << 20,
} satisfies Partial<Limits>;

// Facts that are nobody's outcome.

import type { MachineEvent } from './event.js';

/** One fact that is nobody's outcome. */
export interface Observation extends Pick<MachineEvent, 'kind' | 'reason' | 'invalid' | 'hint' | 'code' | 'offset' | 'count'> {
  /** A message or a sample of the peer's: escape it before showing it. */
  text: string;
}

const decoder = new TextDecoder();

/** What is to be known of an event when its bytes are gone. */
export function observation({ kind, reason, invalid, hint, code, offset, count, text }: MachineEvent): Observation {
  return { kind, reason, invalid, hint, code, offset, count, text: decoder.decode(text) };
}

// What a relay says of one frame.

import { Class, Hint, HintText, type Invalid, InvalidText } from './abi.gen.js';
import type { MachineEvent } from './event.js';
import { quoted } from './text.js';

/** One frame of the peer's, as its envelope tells. */
export interface Relayed {
  readonly class: Class;
  /** The raw JSON token; undefined where there is none. */
  readonly id: string | undefined;
  /** '' where there is none. */
  readonly method: string;
  /** The whole frame; valid JSON unless error says otherwise. */
  readonly text: string;
  /** Size of the frame as it came. */
  readonly bytes: number;
  /** Of its first byte, from the first byte of the stream. */
  readonly offset: number;
  /** Why it is no message; undefined where it is one. */
  readonly error: InvalidMessageError | undefined;
}

/** A frame that was cut out correctly and is no message, or none that is taken here (MSG-6). The session lives. */
export class InvalidMessageError extends Error {
  override readonly name = 'InvalidMessageError';

  constructor(
    readonly invalid: Invalid,
    readonly hint: Hint,
    readonly offset: number,
    /** The whole frame; escape it before showing it. */
    readonly text: string,
  ) {
    super(
      `parley: peer: invalid ${InvalidText[invalid]} at byte ${offset}: ${quoted(text)}${hint === Hint.None ? '' : ` (${HintText[hint]})`}`,
    );
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Copies what an EventKind.Message says. */
export function relayed(event: MachineEvent): Relayed {
  const frame = event.frame!;
  const text = decoder.decode(frame);
  const isInvalid = event.class === Class.Invalid;
  return {
    class: event.class,
    id: event.id && decoder.decode(event.id),
    method: event.method,
    text,
    bytes: frame.length,
    offset: event.offset,
    error: isInvalid ? new InvalidMessageError(event.invalid, event.hint, event.offset, text) : undefined,
  };
}

// What the machine refuses, and what ends it. The numbers are core's: abi.gen.ts.

import {
  BoundaryError,
  BoundaryErrorText,
  HintText,
  Hint,
  Invalid,
  InvalidText,
  type UsageError,
  UsageErrorText,
  Violation,
  ViolationText,
} from './abi.gen.js';
import { quoted } from './text.js';

/**
 * A command that the machine refused; its state is untouched. `code` is core's UsageError, or from
 * 256 on the boundary's own error, which is a defect of these bindings.
 */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(readonly code: UsageError | BoundaryError) {
    super(`parley: ${textOf(code)}`);
  }
}

function textOf(code: UsageError | BoundaryError): string {
  const texts: Partial<Record<number, string>> = code < BoundaryError.Handle ? UsageErrorText : BoundaryErrorText;
  return texts[code]?.replace(/^(core|abi): /, '') ?? `error ${code}, which these bindings do not know`;
}

/** A configuration that was refused: the field, and the range that it lies outside of, or why not. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    readonly field: string,
    readonly reason: string,
    readonly value: number,
    readonly min: number,
    readonly max: number,
  ) {
    super(`parley: config: ${field}${reason === '' ? ` = ${value}, want ${min} to ${max}` : `: ${reason}`}`);
  }
}

/** The facts of a ProtocolError. */
export interface ViolationFacts {
  violation: Violation;
  invalid: Invalid; // parse: what was wrong with the frame
  hint: Hint;
  offset: number; // of the deciding byte, from the first byte of the stream
  haveBytes: number; // truncated: what arrived of the unfinished part
  needBytes: number; // declared or allowed; 0: unknown
  sample: Uint8Array; // at most 64 bytes that end with the deciding one; escape them before showing them
}

/** The peer broke the byte stream or the protocol. It is sticky: one value ends the conversation. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  constructor(readonly facts: ViolationFacts) {
    super(`parley: peer: ${violationText(facts)}`);
  }
}

function violationText(facts: ViolationFacts): string {
  let text = `${ViolationText[facts.violation]} at byte ${facts.offset}`;
  if (facts.invalid !== Invalid.None) text += `: invalid ${InvalidText[facts.invalid]}`;
  if (facts.violation === Violation.Truncated) {
    text += ` (have ${facts.haveBytes}${facts.needBytes > 0 ? ` of ${facts.needBytes}` : ''})`;
  }
  if (facts.sample.length > 0) text += `: ${quoted(facts.sample)}`;
  if (facts.hint !== Hint.None) text += ` (${HintText[facts.hint]})`;
  return text;
}

/**
 * The instance failed: it trapped or exited. Every connection on it has ended, and nothing is ever
 * asked of it again, because a Go program that has panicked answers on from broken state.
 */
export class TrapError extends Error {
  override readonly name = 'TrapError';

  constructor(
    /** Without parley_. */
    readonly exportName: string,
    /** What the module wrote to its stderr: the Go panic. Escape it before showing it. */
    readonly panic: string,
    cause: unknown,
  ) {
    super(`parley: the sandbox failed in its export ${exportName}: ${quoted(panic === '' ? String(cause) : panic)}`, { cause });
  }
}

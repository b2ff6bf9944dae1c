// Why a call, an answer or a session failed.

import { Reason, UsageError, UsageErrorText, type Code } from './abi.gen.js';
import { TrapError } from './errors.js';
import type { Json } from './json.js';
import { oneLine, quoted } from './text.js';

/** The peer's error answer to a call (API-6). A handler that throws one has it sent, code, message and data. */
export class RPCError extends Error {
  override readonly name = 'RPCError';

  constructor(
    readonly code: Code | number,
    /** The peer's own text, whole and unescaped. */
    readonly text: string,
    readonly data?: unknown,
    /** The method that was called; '' in a handler. */
    readonly method = '',
  ) {
    super(`parley:${method === '' ? '' : ` call "${oneLine(method)}":`} error ${code}: ${oneLine(text)}`);
  }
}

/** The answer to a call is no JSON-RPC response (MSG-5). The session lives. */
export class ParseError extends Error {
  override readonly name = 'ParseError';

  constructor(
    readonly method: string,
    /** The whole answer. */
    readonly raw: Json,
  ) {
    super(`parley: call "${oneLine(method)}": peer: the answer is no JSON-RPC response: ${quoted(raw.text)}`);
  }
}

/** Who has to change something. */
export type Fault = 'caller' | 'peer' | 'session';

/** What the message of a CallError is made of. */
export interface CallFacts {
  /** What was asked for: call, notify, reply, fail, flush, messages. */
  op: string;
  method: string;
  /** The id on the wire, a JSON token; '' where nothing was accepted. */
  id?: string;
  code: UsageError;
  /** A SessionError, the reason of an AbortSignal, or what the encoder said. */
  cause?: unknown;
  /** Bytes of the peer's that lay undecided when a call timed out, and a sample of them (CALL-3). */
  undecidedBytes?: number;
  undecided?: string;
}

/** A call, notification or answer that failed on this side: nothing that the peer said. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** Timeout, Canceled, Closed, TooLarge, Unsupported and so on: core's number. */
  readonly code: UsageError;
  readonly fault: Fault;

  constructor(readonly facts: CallFacts) {
    super(textOf(facts), { cause: facts.cause });
    this.code = facts.code;
    this.fault = faultOf(facts);
  }
}

/** What a call may reject with. */
export type CallFailure = RPCError | ParseError | CallError;

/** A verb of a peer that has no transport: not yet, or because it was closed before. */
export function unsent(op: string, method: string, isClosed: boolean): CallError {
  const cause = new SessionError(isClosed ? Reason.Shutdown : Reason.None);
  return new CallError({ op, method, code: UsageError.Closed, cause });
}

function faultOf({ code, id = '' }: CallFacts): Fault {
  if (code === UsageError.Closed) return 'session';
  return code === UsageError.Timeout && id !== '' ? 'peer' : 'caller';
}

function textOf(facts: CallFacts): string {
  const { op, method, id = '', cause } = facts;
  const subject = `parley: ${op}${method === '' ? '' : ` "${oneLine(method)}"`}${id === '' ? '' : ` (id ${oneLine(id)})`}`;
  const causeText =
    cause instanceof Error ? cause.message.replace(/^parley: session: /, '') : cause === undefined ? '' : String(cause);
  const because = causeText === '' ? '' : `: ${oneLine(causeText)}`;
  return `${subject}: ${faultOf(facts)}: ${reasonOf(facts)}${because}`;
}

function reasonOf({ code, id = '', undecidedBytes = 0, undecided = '' }: CallFacts): string {
  if (code === UsageError.Timeout && id === '') return 'the time was up before anything was sent; give it more';
  if (code === UsageError.Timeout && undecidedBytes > 0) {
    return `no answer in the time given, but ${undecidedBytes} bytes that are no whole message: ${quoted(undecided)}`;
  }
  if (code === UsageError.Timeout) return 'no answer in the time given';
  return UsageErrorText[code].replace(/^core: /, '');
}

const reasonTexts: Record<Reason, string> = {
  [Reason.None]: 'closed for sending',
  [Reason.EOF]: "the peer's output has ended",
  [Reason.Violation]: 'the peer broke the protocol',
  [Reason.WriteFailed]: "the peer's input refused our bytes",
  [Reason.Torn]: 'an interruption tore a frame',
  [Reason.Shutdown]: 'shut down on this side',
  [Reason.Aborted]: 'aborted on this side',
  [Reason.Exit]: 'the peer sent exit',
  [Reason.Stalled]: 'the peer stopped reading',
  [Reason.ReadFailed]: 'reading from the peer failed',
};

/** Why a session ended. */
export class SessionError extends Error {
  override readonly name = 'SessionError';

  constructor(
    readonly reason: Reason,
    /** A ProtocolError, a TrapError, the transport's error; undefined where the reason says all. */
    cause?: unknown,
    /** What the transport knows: a process's exit and its stderr, unescaped (STOP-4). */
    readonly detail = '',
  ) {
    const causeText =
      cause === undefined
        ? ''
        : `: ${oneLine(cause instanceof Error ? cause.message.replace(/^parley: (peer: )?/, '') : String(cause))}`;
    const reasonText = cause instanceof TrapError ? 'the engine failed' : reasonTexts[reason];
    super(`parley: session: ${reasonText}${causeText}${detail === '' ? '' : ` (${oneLine(detail)})`}`, { cause });
  }

  /** Nobody has to be told of this end. */
  get isClean(): boolean {
    const clean: readonly Reason[] = [Reason.EOF, Reason.Shutdown, Reason.Exit];
    return this.cause === undefined && clean.includes(this.reason);
  }
}

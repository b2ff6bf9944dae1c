// What a machine shows, as lines of a vector.

import { EventKind, Invalid, InvalidText, ReasonText, type Reason, ViolationText } from '../../src/abi.gen.js';
import type { ViolationFacts } from '../../src/errors.js';
import type { MachineEvent } from '../../src/event.js';
import { escapeFirst, latin1, rest, word } from './escape.js';
import { classes, hints } from './names.js';
import { sha256 } from './sha256.js';

const shownBytesMax = 512;
const shownPrefixBytes = 64;

/** Bytes as a string; long ones by their first bytes, their size and their hash. */
export function shown(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return '';
  if (bytes.length <= shownBytesMax) return latin1(bytes);
  return `${latin1(bytes.subarray(0, shownPrefixBytes))} ... ${bytes.length} bytes, SHA-256 ${sha256(bytes)}`;
}

/** Options whose value is '' or 0 are left out. */
export type Options = Record<string, string | number | undefined>;

/** One line: words, options, and the rest, which must not look like an option of the line. */
export function line(verb: string, words: (string | number)[], options: Options = {}, tail = ''): string {
  let text = ['<', verb, ...words.map((each) => (typeof each === 'number' ? each : word(each)))].join(' ');
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && value !== '' && value !== 0) {
      text += ` ${name}=${typeof value === 'number' ? value : word(value)}`;
    }
  }
  if (tail === '') return text;
  const looksLikeOption = Object.keys(options).some((name) => rest(tail).startsWith(`${name}=`));
  return `${text} ${looksLikeOption ? escapeFirst(tail) + rest(tail.slice(1)) : rest(tail)}`;
}

/** How a line names calls and their messages. */
export interface Numbering {
  call(handle: number): string; // c1
  req(handle: number): string; // r1; '' for nobody
}

/** The line of one event. */
export function eventLine(event: MachineEvent, numbering: Numbering): string {
  const method = (): string => shown(event.methodBytes);
  const body = (): string => shown(event.body);
  const text = (): string => shown(event.text);
  const call = (): string => numbering.call(event.call);
  const flaw = event.invalid === Invalid.None ? '' : InvalidText[event.invalid];
  const where = { offset: event.offset, count: event.count };
  const hint = hints[event.hint];
  const ordinal = `#${event.ordinal}`;
  switch (event.kind) {
    case EventKind.Request:
      return requestLine('request', [numbering.req(event.req), ordinal], event);
    case EventKind.Notification:
      return messageLine('notification', event, numbering.req(event.req));
    case EventKind.Message:
      return line(
        'message',
        [classes[event.class]!],
        { invalid: flaw, offset: event.offset, hint, id: shown(event.id), method: method(), body: body() },
        shown(event.frame),
      );
    case EventKind.Result:
      return line('result', [call()], {}, body());
    case EventKind.Error:
      return line('error', [call(), event.code], { data: body() }, text());
    case EventKind.InvalidAnswer:
      return line('invalid-answer', [call()], {}, body());
    case EventKind.Timeout:
      return line('timeout', [call()], { count: event.count }, text());
    case EventKind.Canceled:
      return line('canceled', [call()]);
    case EventKind.Lost:
      return line('lost', [call(), ReasonText[event.reason]]);
    case EventKind.Progress:
      return line('progress', [call()], {}, body());
    case EventKind.CancelRequest:
      return line('cancel-request', [numbering.req(event.req), ordinal]);
    case EventKind.Invalid:
    case EventKind.Noise:
      return line(event.kind === EventKind.Noise ? 'noise' : 'invalid', [InvalidText[event.invalid]], { ...where, hint }, text());
    case EventKind.PeerError:
      return line('peer-error', [event.code], { data: body() }, text());
    case EventKind.Resync:
      return line('resync', [], where, text());
    case EventKind.Writable:
      return line('writable', []);
    case EventKind.Stalled:
      return line('stalled', []);
    case EventKind.Dropped:
      return requestLine('dropped', [], event);
    case EventKind.Ending:
      return line('ending', [ReasonText[event.reason as Reason]]);
    case EventKind.Closed:
      return line('closed', []);
    case EventKind.None:
  }
  throw new Error(`event kind ${event.kind} has no line`);
}

/** The id stands before the method, which is a word like those before it. */
function requestLine(verb: string, words: string[], event: MachineEvent): string {
  const head = line(verb, words, { id: shown(event.id) });
  const body = shown(event.body);
  return `${head} ${word(shown(event.methodBytes))}${body === '' ? '' : ` ${rest(body)}`}`;
}

/** Notifications without a handle leave it out. */
function messageLine(verb: string, event: MachineEvent, req: string): string {
  return requestLine(verb, req === '' ? [`#${event.ordinal}`] : [req, `#${event.ordinal}`], event);
}

/** The violation behind an ending. */
export function violationLine(facts: ViolationFacts): string {
  const { violation, invalid, offset, haveBytes, needBytes, hint, sample } = facts;
  return line(
    'violation',
    [ViolationText[violation]],
    {
      invalid: invalid === Invalid.None ? '' : InvalidText[invalid],
      offset,
      have: haveBytes,
      need: needBytes,
      hint: hints[hint],
    },
    shown(sample),
  );
}

// The state machine of one connection: bytes in, bytes out, facts out, time in. It does no I/O, has
// no clock and starts nothing; Peer drives one, and so can you. Times are nanoseconds on a clock of
// your choosing, whole and below 2^53; Infinity is never.

import {
  BatchItemAt,
  BatchItemBytes,
  ItemNotification,
  ItemQuiet,
  ReadyAt,
  ReadyDrained,
  ReadyOutputDone,
  ReadyPaused,
  ReadyViolation,
  ReserveBytesMax,
  SpliceAt,
  SpliceBytes,
  TurnDrain,
  TurnEnd,
  TurnEOF,
  TurnReadFailed,
  TurnScratch,
  TurnTake,
  TurnWriteFailed,
  UsageError,
  type Code,
  type TimerKind,
} from './abi.gen.js';
import { open, type Config, type Limits } from './config.js';
import { RefusedError, type ProtocolError } from './errors.js';
import type { MachineEvent } from './event.js';
import { Fetched } from './fetched.js';
import { Block, readLimits, readSnapshot, readState, readStats, type Snapshot, type State, type Stats } from './inspect.js';
import type { Instance } from './instance.js';
import type { MachineBatchItem, MachineCallOptions, MachineTurn, Splice } from './machine-inputs.js';
import { bytesMaxOf, ready, type Span, type Text } from './scratch.js';

const creditMax = 2 ** 31 - 1;
const scratchReadBytesMax = 4 << 10; // what is read cheaper as an argument than into space of its own

/**
 * One connection. A command that is refused throws a RefusedError and changes nothing; after a trap
 * of the instance everything throws the same TrapError. `free` gives its memory back.
 */
export class Machine {
  readonly #instance: Instance;
  readonly #handle: number;
  readonly #ready: number; // address of the ready block
  readonly #messageBytesMax: number;
  readonly #fetched: Fetched;
  #error: ProtocolError | undefined;
  #isFree = false;

  constructor(instance: Instance, config: Config, memoryBytesMax: number) {
    this.#instance = instance;
    this.#handle = open(instance, config, memoryBytesMax);
    this.#ready = instance.run('ready', this.#handle);
    this.#fetched = new Fetched(instance.memory);
    this.#messageBytesMax = Math.max(this.limits().frameBytesMax + 1, ReserveBytesMax);
  }

  /**
   * A whole turn in one call of the module: bytes and what is written, then the time, then the next block where takes
   * asks for it, and facts, which next yields without another call. Bytes behind the end are refused as Closed, and
   * nothing else of that turn is done.
   */
  turn(
    now: number,
    takes: boolean,
    { received, isMessage = false, wroteBytes = 0 }: MachineTurn = {},
  ): Uint8Array<ArrayBuffer> | undefined {
    let flags = TurnDrain;
    let bytes = 0;
    if (received !== undefined) {
      const last = isMessage ? this.#messageOf(received) : this.#commitAllButLast(received);
      flags |= this.#put(last) | (isMessage ? TurnEnd : 0);
      bytes = last.length;
    }
    if (takes) flags |= TurnTake;
    this.#fetch(this.#input('turn', bytes, flags, Math.floor(now), wroteBytes));
    if (received !== undefined) this.#noteViolation();
    return takes ? this.#out() : undefined;
  }

  // Bytes in.

  /**
   * Takes bytes of the peer's and judges every frame that they complete. What the peer does wrong is
   * no exception: the machine ends, `error` says why, and every later commit changes nothing.
   */
  commit(bytes: Uint8Array): void {
    this.#commit(this.#commitAllButLast(bytes), 0);
  }

  /** Takes bytes that end one message of the transport; framing whole alone (FRAME-9). */
  commitMessage(bytes: Uint8Array): void {
    this.#commit(this.#messageOf(bytes), TurnEnd);
  }

  /** The peer's output has ended: a half-close between frames, a violation inside one (STOP-1, FRAME-4). */
  commitEOF(): void {
    this.#input('turn', 0, TurnEOF, NaN, 0);
    this.#noteViolation();
  }

  /** The transport failed while it was read: the conversation ends at once (STOP-3). */
  readFailed(): void {
    this.#input('turn', 0, TurnReadFailed, NaN, 0);
  }

  /** What a turn can take of bytes at once is their last part; the others are taken before. */
  #commitAllButLast(bytes: Uint8Array): Uint8Array {
    let at = 0;
    for (; bytes.length - at > ReserveBytesMax; at += ReserveBytesMax) this.#commit(bytes.subarray(at, at + ReserveBytesMax), 0);
    return at === 0 ? bytes : bytes.subarray(at);
  }

  /** More than shows that it is too large is not copied. */
  #messageOf(bytes: Uint8Array): Uint8Array {
    return bytes.length > this.#messageBytesMax ? bytes.subarray(0, this.#messageBytesMax) : bytes;
  }

  #commit(part: Uint8Array, flags: number): void {
    this.#input('turn', part.length, flags | this.#put(part), NaN, 0);
    this.#noteViolation();
  }

  /** Puts bytes where the next turn finds them, and returns the flag that says so. */
  #put(part: Uint8Array): number {
    if (part.length <= scratchReadBytesMax) {
      this.#instance.scratch(part.length).put(part);
      return TurnScratch;
    }
    const address = this.#input('reserve', part.length);
    this.#instance.memory.bytes.set(part, address); // which may have moved
    return 0;
  }

  /** Reading is to stop until it turns false, which another commit, advance or wrote may do (BACK-3). */
  get isPaused(): boolean {
    return (this.#flags & ReadyPaused) !== 0;
  }

  /** The violation that ended the conversation; the same one for ever. */
  get error(): ProtocolError | undefined {
    return this.#error;
  }

  // Bytes out.

  /** Output that is queued and not taken, in bytes. */
  get pendingBytes(): number {
    return this.#view.getFloat64(this.#ready + ReadyAt.outputBytes, true);
  }

  /** Everything owed is written: the transport's output is to be closed. */
  get isOutputDone(): boolean {
    return (this.#flags & ReadyOutputDone) !== 0;
  }

  /**
   * Takes the oldest block of whole frames, in framing whole one message. Its frames have begun and
   * are to be written whatever happens (SEND-3). Undefined: there is none, or the last is not written.
   */
  take(): Uint8Array<ArrayBuffer> | undefined {
    this.#input('turn', 0, TurnTake, NaN, 0);
    return this.#out();
  }

  #out(): Uint8Array<ArrayBuffer> | undefined {
    const view = this.#view;
    const address = view.getUint32(this.#ready + ReadyAt.out, true);
    if (address === 0) return undefined;
    return this.#instance.memory.slice(address, view.getUint32(this.#ready + ReadyAt.out + 4, true));
  }

  /** size more bytes of the block taken are written. */
  wrote(size: number): void {
    this.#input('turn', 0, 0, NaN, size);
  }

  /** The transport refused our bytes: nothing will be written any more (SEND-5). */
  writeFailed(): void {
    this.#input('turn', 0, TurnWriteFailed, NaN, 0);
  }

  // Time.

  /** When the next advance is due at the latest; Infinity: none is. */
  get deadline(): number {
    return this.#view.getFloat64(this.#ready + ReadyAt.deadline, true);
  }

  /** What the deadline is for. */
  get timer(): TimerKind {
    return this.#view.getUint8(this.#ready + ReadyAt.timer) as TimerKind;
  }

  /** It is now. Time that goes backwards is counted and ignored. */
  advance(now: number): void {
    this.#input('turn', 0, 0, Math.floor(now), 0);
  }

  // Facts.

  /** Fetches the next fact into event and says whether there was one. */
  next(event: MachineEvent): boolean {
    if (this.#isAlive) {
      if (this.#fetched.next(event)) return true;
      if ((this.#flags & ReadyDrained) !== 0) return false; // without a call
    }
    this.#fetch(this.#run('turn', 0, TurnDrain, NaN, 0));
    return this.#fetched.next(event);
  }

  #fetch(count: number): void {
    const view = this.#view;
    const address = view.getUint32(this.#ready + ReadyAt.events, true);
    this.#fetched.fill(address, count, view.getUint32(this.#ready + ReadyAt.eventBytes, true));
  }

  /** Grants delivery of count more messages. */
  want(count: number): void {
    this.#input('want', Math.max(0, Math.min(count, creditMax)));
  }

  // Commands.

  /** Queues a request and returns the handle that its outcome will carry; no wire id. */
  call(method: Text, params?: Text, options: MachineCallOptions = {}): number {
    const body = this.#argument(params);
    const scratch = this.#instance.scratch(bytesMaxOf(method, body, options.progressToken, options.id));
    const name = scratch.put(method);
    const given = scratch.put(body);
    const token = scratch.put(options.progressToken);
    const id = scratch.put(options.id);
    return this.#input(
      'call',
      name.address,
      name.bytes,
      given.address,
      given.bytes,
      options.deadline ?? Infinity,
      options.extend ?? 0,
      options.deadlineMax ?? 0,
      token.address,
      token.bytes,
      id.address,
      id.bytes,
      options.quiet ? 1 : 0,
    );
  }

  /** Queues calls and notifications as one array, and returns the handle of each, 0 of a notification. */
  batch(items: readonly MachineBatchItem[]): number[] {
    const bodies = items.map((item) => this.#argument(item.params));
    let bytesMax = items.length * BatchItemBytes + bytesMaxOf(...bodies);
    for (const item of items) bytesMax += bytesMaxOf(item.method, item.progressToken, item.id);
    const scratch = this.#instance.scratch(bytesMax);
    const records = scratch.records(items.length * BatchItemBytes);
    for (const [i, item] of items.entries()) {
      const record = records + i * BatchItemBytes;
      this.#putSpan(record + BatchItemAt.method, scratch.put(item.method));
      this.#putSpan(record + BatchItemAt.params, scratch.put(bodies[i]));
      this.#putSpan(record + BatchItemAt.token, scratch.put(item.progressToken));
      this.#putSpan(record + BatchItemAt.id, scratch.put(item.id));
      const view = this.#view;
      view.setUint32(record, (item.notification ? ItemNotification : 0) | (item.quiet ? ItemQuiet : 0), true);
      view.setFloat64(record + BatchItemAt.deadline, item.deadline ?? Infinity, true);
      view.setFloat64(record + BatchItemAt.extend, item.extend ?? 0, true);
      view.setFloat64(record + BatchItemAt.deadlineMax, item.deadlineMax ?? 0, true);
    }
    this.#input('batch', records, items.length);
    const view = this.#view;
    return items.map((_, i) => view.getFloat64(records + i * BatchItemBytes + BatchItemAt.call, true));
  }

  /** Queues a notification. */
  notify(method: Text, params?: Text): void {
    const body = this.#argument(params);
    const scratch = this.#instance.scratch(bytesMaxOf(method, body));
    const name = scratch.put(method);
    const given = scratch.put(body);
    this.#input('notify', name.address, name.bytes, given.address, given.bytes);
  }

  /** Gives a call up; a no-op where it has its outcome (CALL-5, CALL-6). */
  cancel(call: number): void {
    this.#input('cancel', call);
  }

  /** Answers a request of theirs (REQ-2). */
  reply(req: number, result: Text): void {
    const body = this.#argument(result);
    const given = this.#instance.scratch(bytesMaxOf(body)).put(body);
    this.#input('reply', req, given.address, given.bytes);
  }

  /** Answers a request of theirs with an error. */
  fail(req: number, code: Code | number, message: Text, data?: Text): void {
    const text = this.#argument(message);
    const body = this.#argument(data);
    const scratch = this.#instance.scratch(bytesMaxOf(text, body));
    const said = scratch.put(text);
    const given = scratch.put(body);
    this.#input('fail', req, code, said.address, said.bytes, given.address, given.bytes);
  }

  /** The handler of a request or notification has ended. An unanswered request is answered -32603. */
  done(req: number): void {
    this.#input('done', req);
  }

  /** Cancels a message of theirs by its ordinal (SCHED-4). */
  cancelRequest(ordinal: number): void {
    this.#input('cancel_request', ordinal);
  }

  /** Closes our direction behind everything queued (STOP-5). */
  finishInput(): void {
    this.#input('finish_input');
  }

  /** Begins the end in order: handlers and output get their bounds (STOP-2). */
  shutdown(): void {
    this.#input('shutdown');
  }

  /** Ends everything at once. */
  abort(): void {
    this.#input('abort');
  }

  /** Starts the trace of the scheduler (SCHED-5). */
  traceStart(): void {
    this.#input('trace_start');
  }

  /** Stops it; what it holds stays in the snapshot. */
  traceStop(): void {
    this.#input('trace_stop');
  }

  /** Tells the negotiated version of profile MCP; '' while a client negotiates (ERA-1, MSG-8). */
  setVersion(version: Text): void {
    const text = this.#instance.scratch(bytesMaxOf(version)).put(version);
    this.#input('set_version', text.address, text.bytes);
  }

  // Relay.

  /** Queues one message of another connection byte for byte, with a few values replaced. */
  forward(frame: Text, splices: readonly Splice[] = []): void {
    const whole = this.#argument(frame);
    const scratch = this.#instance.scratch(splices.length * SpliceBytes + bytesMaxOf(whole, ...splices.map((s) => s.value)));
    const records = scratch.records(splices.length * SpliceBytes);
    for (const [i, splice] of splices.entries()) {
      const record = records + i * SpliceBytes;
      this.#putSpan(record + SpliceAt.value, scratch.put(splice.value));
      this.#view.setUint32(record + SpliceAt.start, splice.start, true);
      this.#view.setUint32(record + SpliceAt.end, splice.end, true);
    }
    const body = scratch.put(whole);
    this.#input('forward', body.address, body.bytes, records, splices.length);
  }

  // Inspection.

  /** Where the conversation stands. */
  state(): State {
    const state = readState(this.#block('state'), this.#error);
    this.#error = state.error;
    return state;
  }

  /** What has been counted since the start (BACK-5). */
  stats(): Stats {
    return readStats(this.#block('stats'));
  }

  /** The limits in force (API-7). */
  limits(): Limits {
    return readLimits(this.#block('limits'));
  }

  /** The scheduler at this moment (SCHED-5). */
  snapshot(): Snapshot {
    return readSnapshot(this.#block('snapshot'));
  }

  /** Gives the connection's memory back; repeatable. Everything else is refused as Closed from then on. */
  free(): void {
    if (this.#isFree) return;
    this.#isFree = true;
    if (this.#instance.trap === undefined) this.#instance.run('free', this.#handle);
  }

  get #isAlive(): boolean {
    return !this.#isFree && this.#instance.trap === undefined;
  }

  #run(name: string, ...args: number[]): number {
    if (this.#isFree) throw new RefusedError(UsageError.Closed);
    return this.#instance.run(name, this.#handle, ...args);
  }

  /** An input, or what counts as one here: what has been fetched expires with it. */
  #input(name: string, ...args: number[]): number {
    this.#fetched.keep();
    return this.#run(name, ...args);
  }

  #argument<T extends Text | undefined>(text: T): T | Uint8Array {
    return ready(text, this.#instance.memory);
  }

  #block(name: string): Block {
    return new Block(this.#instance.memory, this.#run(name));
  }

  #noteViolation(): void {
    if ((this.#flags & ReadyViolation) !== 0) this.state();
  }

  get #view(): DataView {
    return this.#instance.memory.view;
  }

  get #flags(): number {
    return this.#view.getUint32(this.#ready + ReadyAt.flags, true);
  }

  #putSpan(at: number, span: Span): void {
    this.#view.setUint32(at, span.address, true);
    this.#view.setUint32(at + 4, span.bytes, true);
  }
}

// One play of one vector on one machine.

import { EventKind, Framing, Profile, Reason, ReasonText, TimerKind } from '../../src/abi.gen.js';
import type { Engine } from '../../src/engine.js';
import { ConfigError, RefusedError } from '../../src/errors.js';
import { MachineEvent } from '../../src/event.js';
import type { State } from '../../src/inspect.js';
import type { Machine } from '../../src/machine.js';
import type { MachineBatchItem, MachineCallOptions } from '../../src/machine-inputs.js';
import type { Cutting } from './cutting.js';
import { toBytes } from './escape.js';
import * as names from './names.js';
import { eventLine, line, shown, violationLine } from './observe.js';
import { openingOf, type Opening } from './opening.js';
import { settings, spellTime, time, type Input, type Vector } from './vector.js';

const readBytesMax = 64 << 10; // what a reader commits at once
const writeBytesMax = 16 << 10; // what a writer reports at once (SEND-6)
const neverIssued = 2 ** 52 - 1; // stands for a handle that the machine has not given out

/** Plays a vector and returns its lines, with the observations that the machine made. */
export function play(engine: Engine, vector: Vector, cutting: Cutting): string[] {
  const opening = openingOf(vector);
  const lines = vector.opening.map((input) => input.line);
  let machine: Machine;
  try {
    machine = engine.machine(opening.config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...lines, line('config-error', [], {}, error.field)];
  }
  try {
    if (opening.credit > 0) machine.want(opening.credit);
    return [...lines, ...new Player(machine, framingOf(opening), cutting).play(vector.inputs)];
  } finally {
    machine.free();
  }
}

/** What frames are put into: the framing that the vector names, or the default of its profile. */
export function framingOf({ config }: Opening): Framing {
  const defaults = {
    [Profile.LSP]: Framing.Header,
    [Profile.MCP]: Framing.Line,
    [Profile.Control]: Framing.Length4,
    [Profile.Plain]: Framing.Line,
  };
  return config.framing ?? defaults[config.profile];
}

/** What one repetition of an input puts on the wire. */
export function wireBytes(input: Input, framing: Framing): Uint8Array {
  const body = toBytes(input.rest ?? '');
  if (input.verb === '> in') return body;
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, body.length);
  switch (framing) {
    case Framing.Header:
      return concat([toBytes(`Content-Length: ${body.length}\r\n\r\n`), body]);
    case Framing.Line:
      return concat([body, toBytes('\n')]);
    case Framing.Length4:
      return concat([head, body]);
    case Framing.Whole:
      return body;
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

class Player {
  readonly #lines: string[] = [];
  readonly #event = new MachineEvent();

  // Bytes that have arrived and are not committed.
  #arriving: Uint8Array[] = [];
  #offset = 0; // of their first byte in the stream

  // Handles by number, and members of the next batch.
  readonly #calls: number[] = [];
  readonly #reqs: number[] = [];
  #batch: MachineBatchItem[] = [];

  // What the turn has shown so far. A turn that a cutting inserts adds to it.
  #events: string[] = [];
  #blocks: Uint8Array[] = [];

  // The writer.
  #isHolding = false;
  #takenBytes = 0; // of the block that > take took, as far as it is not written

  // What was shown last.
  #now = 0;
  #deadline = Infinity;
  #timer: TimerKind = TimerKind.None;
  #isPaused = false;
  #isOutputDone = false;

  constructor(
    private readonly machine: Machine,
    private readonly framing: Framing,
    private readonly cutting: Cutting,
  ) {}

  play(inputs: readonly Input[]): string[] {
    for (const input of inputs) {
      const isBytes = input.verb === '> in' || input.verb === '> frame';
      if (!isBytes) this.#commit(false);
      this.#lines.push(input.line);
      if (isBytes) this.#arrive(input);
      else this.#tell(input);
    }
    if (this.#arriving.length > 0) throw new Error('a vector ends with a turn: > at TIME');
    return this.#lines;
  }

  // Bytes.

  #arrive(input: Input): void {
    const piece = wireBytes(input, this.framing);
    const isMessage = input.verb === '> frame' && this.framing === Framing.Whole;
    if (isMessage) {
      for (let i = 0; i < input.repeat; i++) {
        this.#arriving.push(piece);
        this.#commit(true);
      }
      return;
    }
    const all = new Uint8Array(piece.length * input.repeat);
    for (let i = 0; i < input.repeat; i++) all.set(piece, i * piece.length);
    this.#arriving.push(all);
  }

  #commit(isMessage: boolean): void {
    let bytes = concat(this.#arriving);
    this.#arriving = [];
    if (bytes.length === 0 && !isMessage) return;
    // A piece that ends inside the vector's own turn must not begin frames which a later command of
    // that turn could still have withdrawn.
    const mayWrite = this.machine.pendingBytes === 0 && !this.#isHolding;
    do {
      const size = this.cutting.pieceSize(this.#offset, Math.min(bytes.length, readBytesMax));
      const piece = bytes.subarray(0, size);
      bytes = bytes.subarray(size);
      this.#offset += size;
      const endsMessage = isMessage && bytes.length === 0;
      this.#refusable(() => (endsMessage ? this.machine.commitMessage(piece) : this.machine.commit(piece)), true);
      this.#checkViolation();
      if (this.cutting.hasTurns) this.#turn(mayWrite);
    } while (bytes.length > 0);
  }

  /** A violation is sticky, and the one that the state names. */
  #checkViolation(): void {
    const known = this.machine.error;
    if (known !== undefined && this.machine.state().error !== known) throw new Error('the violation changed');
  }

  // Commands.

  #tell(input: Input): void {
    const { machine } = this;
    const [first = ''] = input.words;
    switch (input.verb) {
      case '##':
        return;
      case '> eof':
        this.#refusable(() => machine.commitEOF(), true);
        return this.#checkViolation();
      case '> at':
        return this.#endTurn(time(first));
      case '> hold':
        this.#isHolding = true;
        return;
      case '> release':
        this.#isHolding = false;
        return this.#wrote(this.#takenBytes);
      case '> take':
        return this.#take();
      case '> wrote':
        return this.#wrote(Number(first));
      case '> write-failed':
        this.#takenBytes = 0;
        return machine.writeFailed();
      case '> stats':
        return this.#answer('stats', input, this.#stats());
      case '> state':
        return this.#answer('state', input, stateNames(machine.state()));
    }
    this.#refusable(() => this.#command(input), false);
  }

  #command(input: Input): void {
    const { machine } = this;
    const [first = '', second = ''] = input.words;
    const body = input.rest === undefined ? undefined : toBytes(input.rest);
    const data = input.options.get('data');
    switch (input.verb) {
      case '> call':
        return void this.#calls.push(machine.call(toBytes(first), body, callOptions(input)));
      case '> notify':
        return machine.notify(toBytes(first), body);
      case '> add-call':
        return void this.#batch.push({ method: toBytes(first), ...(body && { params: body }), ...callOptions(input) });
      case '> add-notify':
        return void this.#batch.push({ method: toBytes(first), ...(body && { params: body }), notification: true });
      case '> batch':
        return this.#sendBatch();
      case '> cancel':
        return machine.cancel(handleOf(this.#calls, first));
      case '> reply':
        return machine.reply(handleOf(this.#reqs, first), body ?? new Uint8Array(0));
      case '> fail':
        return machine.fail(handleOf(this.#reqs, first), Number(second), body ?? '', data === undefined ? data : toBytes(data));
      case '> done':
        return machine.done(handleOf(this.#reqs, first));
      case '> cancel-request':
        return machine.cancelRequest(Number(first.slice(1)));
      case '> want':
        return machine.want(Number(first));
      case '> forward':
        return machine.forward(body ?? new Uint8Array(0));
      case '> finish-input':
        return machine.finishInput();
      case '> shutdown':
        return machine.shutdown();
      case '> abort':
        return machine.abort();
      case '> trace-start':
        return machine.traceStart();
      case '> trace-stop':
        return machine.traceStop();
      case '> set-version':
        return machine.setVersion(body ?? '');
    }
    throw new SyntaxError(`${input.verb} cannot be played`);
  }

  #sendBatch(): void {
    const items = this.#batch;
    this.#batch = [];
    this.#calls.push(...this.machine.batch(items).filter((_, i) => !items[i]!.notification));
  }

  /** Shows that a command was refused; bytes that are refused piece by piece show it once. */
  #refusable(command: () => void, isOnce: boolean): void {
    try {
      command();
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      const refused = line('refused', [names.refusal(error.code)]);
      if (!isOnce || this.#lines.at(-1) !== refused) this.#lines.push(refused);
    }
  }

  // Turns.

  /** Advances the clock, drains, writes, and shows everything that changed. */
  #endTurn(now: number): void {
    const { machine } = this;
    this.#now = now;
    this.#turn(!this.#isHolding);
    this.#lines.push(...this.#events, ...this.#output());
    this.#events = [];
    this.#blocks = [];
    if (machine.isPaused !== this.#isPaused) {
      this.#isPaused = machine.isPaused;
      this.#lines.push(line(this.#isPaused ? 'paused' : 'reading', []));
    }
    if (machine.isOutputDone && !this.#isOutputDone) {
      this.#isOutputDone = true;
      this.#lines.push(line('output-done', []));
    }
    if (machine.deadline !== this.#deadline || machine.timer !== this.#timer) {
      this.#deadline = machine.deadline;
      this.#timer = machine.timer;
      this.#lines.push(line('deadline', [spellTime(this.#deadline), names.timers[this.#timer]!]));
    }
  }

  /** One turn of a host. Writing can bring events, so it drains until nothing was written. */
  #turn(mayWrite: boolean): void {
    this.machine.advance(this.#now);
    for (;;) {
      this.#drain();
      const block = mayWrite ? this.machine.take() : undefined;
      if (block === undefined) return;
      this.#blocks.push(block);
      this.#takenBytes = block.length;
      this.#wrote(block.length);
    }
  }

  #drain(): void {
    const event = this.#event;
    const numbering = { call: (handle: number) => this.#callNumber(handle), req: (handle: number) => this.#reqNumber(handle) };
    while (this.machine.next(event)) {
      this.#events.push(eventLine(event, numbering));
      if (event.kind !== EventKind.Ending || event.reason !== Reason.Violation) continue;
      const { error } = this.machine.state();
      if (error === undefined) throw new Error('ended by a violation that the state does not name');
      this.#events.push(violationLine(error.facts));
    }
  }

  /** In framing whole one line a message, else one for the run of bytes: blocks end between any frames. */
  #output(): string[] {
    const isWhole = this.framing === Framing.Whole;
    const outputs = isWhole ? this.#blocks : this.#blocks.length > 0 ? [concat(this.#blocks)] : [];
    return outputs.map((output) => line('out', [], {}, shown(output)));
  }

  #take(): void {
    const block = this.machine.take();
    this.#takenBytes = block?.length ?? this.#takenBytes;
    this.#lines.push(block === undefined ? line('taken-nothing', []) : line('taken', [], {}, shown(block)));
  }

  #wrote(size: number): void {
    if (size > this.#takenBytes) throw new Error(`wrote ${size} of a block of ${this.#takenBytes} bytes`);
    for (let written = 0; written < size; written += writeBytesMax) {
      this.machine.wrote(Math.min(size - written, writeBytesMax));
    }
    this.#takenBytes -= size;
  }

  // Answers.

  #answer(verb: string, input: Input, values: Record<string, string | number | boolean>): void {
    const words = settings(input).map(([name]) => {
      const value = values[name];
      if (value === undefined) throw new SyntaxError(`${verb} has no ${name}`);
      return `${name}=${value}`;
    });
    this.#lines.push(line(verb, words));
  }

  #stats(): Record<string, number> {
    return Object.fromEntries(Object.entries(this.machine.stats()).map(([name, n]) => [names.hyphenated(name), n]));
  }

  // Numbers.

  #callNumber(handle: number): string {
    const at = this.#calls.indexOf(handle);
    if (at < 0) throw new Error(`an event names call ${handle}, which was never accepted`);
    return `c${at + 1}`;
  }

  #reqNumber(handle: number): string {
    if (handle === 0) return '';
    if (!this.#reqs.includes(handle)) this.#reqs.push(handle);
    return `r${this.#reqs.indexOf(handle) + 1}`;
  }
}

const handleOf = (handles: readonly number[], name: string): number => handles[Number(name.slice(1)) - 1] ?? neverIssued;

function callOptions({ options }: Input): MachineCallOptions {
  const at = (name: string): number => time(options.get(name) ?? '0ns');
  const token = options.get('token');
  const id = options.get('id');
  return {
    deadline: at('deadline'),
    extend: at('extend'),
    deadlineMax: at('deadline-max'),
    quiet: options.has('quiet'),
    ...(token !== undefined && { progressToken: toBytes(token) }),
    ...(id !== undefined && { id: toBytes(id) }),
  };
}

function stateNames(state: State): Record<string, string | number | boolean> {
  return {
    input: names.inputs[state.input]!,
    output: names.outputs[state.output]!,
    lifecycle: names.lifecycles[state.lifecycle]!,
    reason: ReasonText[state.reason],
    closed: state.isClosed,
    calls: state.calls,
    running: state.running,
    waiting: state.waiting,
    credit: state.credit,
    'exit-code': state.exitCode,
    'accepted-bytes': state.acceptedBytes,
    'written-bytes': state.writtenBytes,
    'queued-bytes': state.queuedBytes,
  };
}

// What a machine says of itself.

import {
  LimitsAt,
  ListAt,
  MethodCountAt,
  MethodStatsAt,
  SnapshotAt,
  SnapshotItemAt,
  StateAt,
  StatsAt,
  TraceRecordAt,
  type InputPhase,
  type Lifecycle,
  type Mode,
  type OutputPhase,
  type Phase,
  type Reason,
  type Hint,
  type Invalid,
  type Violation,
} from './abi.gen.js';
import type { Limits } from './config.js';
import { ProtocolError } from './errors.js';
import type { LinearMemory } from './memory.js';

/** Where a conversation stands. */
export interface State {
  input: InputPhase;
  output: OutputPhase;
  lifecycle: Lifecycle;
  reason: Reason; // why it ended; the first reason stays
  error: ProtocolError | undefined;
  isClosed: boolean;
  isPaused: boolean;
  calls: number; // our open calls
  running: number;
  waiting: number;
  credit: number; // messages that may still be delivered
  exitCode: number; // what a server process returns (STOP-9)
  acceptedBytes: number; // of our output, from its start
  writtenBytes: number;
  queuedBytes: number; // of frames running and waiting
}

/** The machine's counters, since its start. */
export type Stats = { [Name in keyof typeof StatsAt]: number };

/** The scheduler at one moment (SCHED-5). Times are nanoseconds, Infinity is Never. */
export interface Snapshot {
  items: {
    ordinal: number;
    method: string;
    mode: Mode;
    isRunning: boolean;
    isCancelled: boolean;
    generation: number;
    acceptedAt: number;
    startedAt: number;
  }[];
  methods: {
    name: string;
    count: number;
    failed: number;
    meanNs: number;
    maxNs: number;
    p50Ns: number;
    p95Ns: number;
    p99Ns: number;
  }[];
  dropped: { method: string; count: number }[];
  trace: { at: number; ordinal: number; method: string; phase: Phase }[];
  isTruncated: boolean;
  isTracing: boolean;
  generation: number;
  traceDropped: number;
}

/** A block of linear memory being read. */
export class Block {
  readonly #view: DataView;

  constructor(
    private readonly memory: LinearMemory,
    private readonly address: number,
  ) {
    this.#view = memory.view;
  }

  u8(at: number): number {
    return this.#view.getUint8(this.address + at);
  }

  u32(at: number): number {
    return this.#view.getUint32(this.address + at, true);
  }

  i32(at: number): number {
    return this.#view.getInt32(this.address + at, true);
  }

  f64(at: number): number {
    return this.#view.getFloat64(this.address + at, true);
  }

  bytes(at: number): Uint8Array {
    return this.memory.slice(this.u32(at), this.u32(at + 4));
  }

  text(at: number): string {
    return new TextDecoder().decode(this.bytes(at));
  }

  list<T>(at: number, read: (block: Block) => T): T[] {
    const first = this.u32(at + ListAt.address);
    const stride = this.u32(at + ListAt.stride);
    return Array.from({ length: this.u32(at + ListAt.count) }, (_, i) => read(new Block(this.memory, first + i * stride)));
  }

  numbers<Names extends string>(layout: Record<Names, number>): Record<Names, number> {
    const all = {} as Record<Names, number>;
    for (const name of Object.keys(layout) as Names[]) all[name] = this.f64(layout[name]);
    return all;
  }
}

export function readState(block: Block, known: ProtocolError | undefined): State {
  return {
    input: block.u8(StateAt.input) as InputPhase,
    output: block.u8(StateAt.output) as OutputPhase,
    lifecycle: block.u8(StateAt.lifecycle) as Lifecycle,
    reason: block.u8(StateAt.reason) as Reason,
    error: known ?? readViolation(block),
    isClosed: block.u8(StateAt.closed) !== 0,
    isPaused: block.u8(StateAt.paused) !== 0,
    calls: block.u32(StateAt.calls),
    running: block.u32(StateAt.running),
    waiting: block.u32(StateAt.waiting),
    credit: block.f64(StateAt.credit),
    exitCode: block.i32(StateAt.exitCode),
    acceptedBytes: block.f64(StateAt.acceptedBytes),
    writtenBytes: block.f64(StateAt.writtenBytes),
    queuedBytes: block.f64(StateAt.queuedBytes),
  };
}

function readViolation(block: Block): ProtocolError | undefined {
  if (block.u8(StateAt.violation) === 0) return undefined;
  return new ProtocolError({
    violation: block.u8(StateAt.violation) as Violation,
    invalid: block.u8(StateAt.invalid) as Invalid,
    hint: block.u8(StateAt.hint) as Hint,
    offset: block.f64(StateAt.offset),
    haveBytes: block.f64(StateAt.haveBytes),
    needBytes: block.f64(StateAt.needBytes),
    sample: block.bytes(StateAt.sample),
  });
}

export const readStats = (block: Block): Stats => block.numbers(StatsAt);

export const readLimits = (block: Block): Limits => block.numbers(LimitsAt);

export function readSnapshot(block: Block): Snapshot {
  return {
    items: block.list(SnapshotAt.items, (item) => ({
      ordinal: item.f64(SnapshotItemAt.ordinal),
      method: item.text(SnapshotItemAt.method),
      mode: item.u8(SnapshotItemAt.mode) as Mode,
      isRunning: item.u8(SnapshotItemAt.running) !== 0,
      isCancelled: item.u8(SnapshotItemAt.cancelled) !== 0,
      generation: item.f64(SnapshotItemAt.generation),
      acceptedAt: item.f64(SnapshotItemAt.acceptedAt),
      startedAt: item.f64(SnapshotItemAt.startedAt),
    })),
    methods: block.list(SnapshotAt.methods, (method) => ({
      name: method.text(MethodStatsAt.name),
      count: method.f64(MethodStatsAt.count),
      failed: method.f64(MethodStatsAt.failed),
      meanNs: method.f64(MethodStatsAt.meanNs),
      maxNs: method.f64(MethodStatsAt.maxNs),
      p50Ns: method.f64(MethodStatsAt.p50Ns),
      p95Ns: method.f64(MethodStatsAt.p95Ns),
      p99Ns: method.f64(MethodStatsAt.p99Ns),
    })),
    dropped: block.list(SnapshotAt.dropped, (count) => ({
      method: count.text(MethodCountAt.method),
      count: count.f64(MethodCountAt.count),
    })),
    trace: block.list(SnapshotAt.trace, (record) => ({
      at: record.f64(TraceRecordAt.at),
      ordinal: record.f64(TraceRecordAt.ordinal),
      method: record.text(TraceRecordAt.method),
      phase: record.u8(TraceRecordAt.phase) as Phase,
    })),
    isTruncated: block.u8(SnapshotAt.truncated) !== 0,
    isTracing: block.u8(SnapshotAt.tracing) !== 0,
    generation: block.f64(SnapshotAt.generation),
    traceDropped: block.f64(SnapshotAt.traceDropped),
  };
}

// Which era of MCP a server speaks, decided without I/O (ERA-1 to ERA-10): it says what to do, and is
// told what became of it. Times are nanoseconds, as in machine.ts.

import {
  EraConfigAt,
  EraConfigBytes,
  EraFailureKind,
  EraMode,
  EraStepAt,
  type EraStepKind,
  type EventKind,
  UsageError,
  type Era,
} from './abi.gen.js';
import { refusal } from './config.js';
import { RefusedError } from './errors.js';
import { Block } from './inspect.js';
import type { Instance } from './instance.js';
import { bytesMaxOf, ready, type Span, type Text } from './scratch.js';

/** What a negotiation is told when it is made: what is left out is the default. */
export interface EraConfig {
  /** Who we say we are: a JSON object with name and version. */
  info: Text;
  /** A JSON object; {} where it is left out. */
  capabilities?: Text;
  /** Auto, where it is left out. */
  mode?: EraMode;
  /** The version that mode Pinned speaks. */
  version?: string;
  /** What a cache says of the server. */
  known?: Era;
  /** The server is a child that was started for this connection. */
  spawned?: boolean;
  probeNs?: number;
  startupNs?: number;
  connectNs?: number;
}

/** One thing to do; which members count is said at EraStepKind in the Go package core/era. */
export interface EraStep {
  kind: EraStepKind;
  era: Era; // probed: what was learnt
  call: number; // names a call in settle
  deadline: number;
  method: string;
  version: string;
  /** The wire id, a raw JSON token; undefined: the connection's next number. */
  id: string | undefined;
  params: string | undefined;
  /** Of server/discover or initialize, raw. */
  result: string | undefined;
  /** failed: why there is no era. */
  error: EraError | undefined;
}

/** The outcome of a call: an event of a kind from Result to Lost, or what is like one. */
export interface EraOutcome {
  kind: EventKind;
  code?: number;
  text?: Text;
  body?: Text;
}

/** Why no era was agreed on. */
export class EraError extends Error {
  override readonly name = 'EraError';

  constructor(
    readonly kind: EraFailureKind,
    text: string,
  ) {
    super(`parley: ${text}`);
  }
}

/** One negotiation. `free` gives its memory back. */
export class EraNegotiation {
  readonly #instance: Instance;
  readonly #handle: number;
  #isFree = false;

  constructor(instance: Instance, config: EraConfig) {
    this.#instance = instance;
    this.#handle = open(instance, config);
  }

  /** It is now; the first time it begins. */
  advance(now: number): void {
    this.#run('advance', Math.floor(now));
  }

  /** When the next advance is due at the latest; Infinity once it is decided. */
  get deadline(): number {
    return this.#run('deadline');
  }

  /** The next step; undefined: there is none now. */
  next(): EraStep | undefined {
    const address = this.#run('next');
    if (address === 0) return undefined;
    const block = new Block(this.#instance.memory, address);
    const failure = block.u8(EraStepAt.failure) as EraFailureKind;
    const raw = (at: number): string | undefined => (block.u32(at) === 0 ? undefined : block.text(at));
    return {
      kind: block.u8(EraStepAt.kind) as EraStepKind,
      era: block.u8(EraStepAt.era) as Era,
      call: block.u32(EraStepAt.call),
      deadline: block.f64(EraStepAt.deadline),
      method: block.text(EraStepAt.method),
      version: block.text(EraStepAt.version),
      id: raw(EraStepAt.id),
      params: raw(EraStepAt.params),
      result: raw(EraStepAt.result),
      error: failure === EraFailureKind.None ? undefined : new EraError(failure, block.text(EraStepAt.text)),
    };
  }

  /** Tells the outcome of a step's call. One that nobody waits for may still teach (ERA-6). */
  settle(call: number, { kind, code = 0, text, body }: EraOutcome): void {
    const [said, given] = this.#put(text, body);
    this.#run('settle', call, kind, code, said!.address, said!.bytes, given!.address, given!.bytes);
  }

  /** The params of a modern request with a complete _meta (ERA-9). */
  params(params: Text | undefined, version: string): string {
    const [given, named] = this.#put(params, version);
    const address = this.#run('params', given!.address, given!.bytes, named!.address, named!.bytes);
    return new Block(this.#instance.memory, address).text(0);
  }

  /** Repeatable. Everything else is refused as Closed from then on. */
  free(): void {
    if (this.#isFree) return;
    if (this.#instance.trap === undefined) this.#run('free');
    this.#isFree = true;
  }

  #run(name: string, ...args: number[]): number {
    if (this.#isFree) throw new RefusedError(UsageError.Closed);
    return this.#instance.run(`era_${name}`, this.#handle, ...args);
  }

  #put(...texts: (Text | undefined)[]): Span[] {
    const given = texts.map((text) => ready(text, this.#instance.memory));
    const scratch = this.#instance.scratch(bytesMaxOf(...given));
    return given.map((text) => scratch.put(text));
  }
}

function open(instance: Instance, config: EraConfig): number {
  const { version, info, capabilities } = config;
  const scratch = instance.scratch(EraConfigBytes + bytesMaxOf(version, info, capabilities));
  const address = scratch.records(EraConfigBytes);
  const spans = { version: scratch.put(version), info: scratch.put(info), capabilities: scratch.put(capabilities) };
  const view = instance.memory.view;
  view.setUint32(address + EraConfigAt.bytes, EraConfigBytes, true);
  view.setUint8(address + EraConfigAt.mode, config.mode ?? EraMode.Auto);
  view.setUint8(address + EraConfigAt.known, config.known ?? 0);
  view.setUint8(address + EraConfigAt.spawned, config.spawned ? 1 : 0);
  for (const name of ['version', 'info', 'capabilities'] as const) {
    view.setUint32(address + EraConfigAt[name], spans[name].address, true);
    view.setUint32(address + EraConfigAt[name] + 4, spans[name].bytes, true);
  }
  for (const name of ['probeNs', 'startupNs', 'connectNs'] as const) {
    view.setFloat64(address + EraConfigAt[name], config[name] ?? 0, true);
  }
  try {
    return instance.run('era_open', address, EraConfigBytes);
  } catch (error) {
    throw refusal(instance, error);
  }
}

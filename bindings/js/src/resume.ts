// One side of a session that outlives its sockets: it counts the texts that came, and keeps those
// that may have to be sent again (RESUME-1 to RESUME-9). It does no I/O and has no clock;
// resumingSocket drives one. Times are nanoseconds, as in machine.ts.

import {
  ResumeConfigAt,
  ResumeConfigBytes,
  ResumeFailureKind,
  ResumeFailureKindText,
  ResumeStateAt,
  UsageError,
} from './abi.gen.js';
import { refusal } from './config.js';
import { RefusedError } from './errors.js';
import { Block } from './inspect.js';
import type { Instance } from './instance.js';
import { bytesMaxOf, ready, type Text } from './scratch.js';

/** The subprotocol under which sockets resume. */
export const resumeSubprotocol = 'parley.resume.1';

/** What a link is told when it is made: what is left out is the default. */
export interface ResumeConfig {
  /** The name of the session, on the side that was connected to; the other learns it from the greeting. */
  session?: string;
  /** What the copies of sent texts may hold, each charged 128 bytes more; 4 MiB (RESUME-5). */
  bytesMax?: number;
  /** The largest text that is accepted; 16 MiB. */
  textBytesMax?: number;
  /** How long a written text is kept, and how long a session waits for a socket; 60 s (RESUME-6, RESUME-7). */
  ageNs?: number;
}

/** Where a link stands. */
export interface ResumeState {
  /** '' until it is learnt. */
  session: string;
  sent: number;
  received: number;
  /** Why the session is over; undefined while it lives. */
  error: ResumeError | undefined;
}

/** What a socket is closed with (RESUME-8). */
export const closeLost = { code: 4001, reason: 'resume-lost' } as const;
export const closeSuperseded = { code: 4002, reason: 'superseded' } as const;

/** Why a session, or with kind Superseded one attempt, is over. */
export class ResumeError extends Error {
  override readonly name = 'ResumeError';

  constructor(
    readonly kind: ResumeFailureKind,
    text = `resume: ${ResumeFailureKindText[kind]}`,
    options?: ErrorOptions,
  ) {
    super(`parley: ${text}`, options);
  }

  /** Code and reason with which the attempt's socket is to be closed. */
  get close(): { readonly code: number; readonly reason: string } {
    return this.kind === ResumeFailureKind.Superseded ? closeSuperseded : closeLost;
  }
}

/** One link. What ends the session is thrown as a ResumeError. `free` gives its memory back. */
export class Resume {
  readonly #instance: Instance;
  readonly #handle: number;
  #isFree = false;

  constructor(instance: Instance, config: ResumeConfig, memoryBytesMax: number) {
    this.#instance = instance;
    this.#handle = open(instance, config, memoryBytesMax);
  }

  /** Begins an attempt on a new socket and returns its generation; every older one is over (RESUME-4). */
  attach(now: number): number {
    try {
      return this.#run('attach', Math.floor(now));
    } catch (error) {
      throw this.#isOver(error) ? this.state().error : error;
    }
  }

  /** Makes an attempt live with the count that its URL carries (RESUME-2). */
  resume(generation: number, received: number, now: number): void {
    this.#settle(this.#run('resume', generation, received, Math.floor(now)));
  }

  /** Makes an attempt live with the first text of its socket (RESUME-1). */
  greet(generation: number, text: Text, now: number): void {
    const { address, bytes } = this.#put(text);
    this.#settle(this.#run('greet', generation, address, bytes, Math.floor(now)));
  }

  /** Keeps a text, which next hands out. False: there is no room, try again after a next or a greeting (RESUME-5). */
  send(text: Text, now: number): boolean {
    const { address, bytes } = this.#put(text);
    try {
      this.#settle(this.#run('send', address, bytes, Math.floor(now)));
      return true;
    } catch (error) {
      if (error instanceof RefusedError && error.code === UsageError.OutputFull) return false;
      throw error;
    }
  }

  /** What is to be written to an attempt's socket now, first what the peer lacks; undefined: nothing waits. */
  next(generation: number): Uint8Array<ArrayBuffer> | undefined {
    const address = this.#run('next', generation);
    return address === 0 ? undefined : this.#textAt(address);
  }

  /** Counts a text that came on an attempt's socket. False: it is to be ignored. Call it when it is delivered. */
  receive(generation: number): boolean {
    return this.#run('receive', generation) !== 0;
  }

  /** The socket of an attempt is lost; nothing changes where that attempt is over. */
  detach(generation: number, now: number): void {
    this.#run('detach', generation, Math.floor(now));
  }

  /** It is now. Time that goes backwards is held. */
  advance(now: number): void {
    this.#run('advance', Math.floor(now));
  }

  /** When the next advance is due at the latest; Infinity: none is. */
  get deadline(): number {
    return this.#run('deadline');
  }

  /** The text to write first, on the side that was connected to. */
  greeting(): string {
    return new TextDecoder().decode(this.#textAt(this.#run('greeting')));
  }

  /** What the link has counted, and why it is over. */
  state(): ResumeState {
    const block = new Block(this.#instance.memory, this.#run('state'));
    const kind = block.u8(ResumeStateAt.failure) as ResumeFailureKind;
    return {
      session: block.text(ResumeStateAt.session),
      sent: block.f64(ResumeStateAt.sent),
      received: block.f64(ResumeStateAt.received),
      error: kind === ResumeFailureKind.None ? undefined : new ResumeError(kind, block.text(ResumeStateAt.text)),
    };
  }

  /** Repeatable. Everything else is refused as Closed from then on. */
  free(): void {
    if (this.#isFree) return;
    if (this.#instance.trap === undefined) this.#run('free');
    this.#isFree = true;
  }

  #run(name: string, ...args: number[]): number {
    if (this.#isFree) throw new RefusedError(UsageError.Closed);
    return this.#instance.run(`resume_${name}`, this.#handle, ...args);
  }

  #put(text: Text): { address: number; bytes: number } {
    const given = ready(text, this.#instance.memory);
    return this.#instance.scratch(bytesMaxOf(given)).put(given);
  }

  #settle(kind: number): void {
    if (kind === ResumeFailureKind.None) return;
    throw this.state().error ?? new ResumeError(kind as ResumeFailureKind);
  }

  #isOver(error: unknown): boolean {
    return !this.#isFree && error instanceof RefusedError && error.code === UsageError.Closed;
  }

  #textAt(span: number): Uint8Array<ArrayBuffer> {
    const view = this.#instance.memory.view;
    return this.#instance.memory.slice(view.getUint32(span, true), view.getUint32(span + 4, true));
  }
}

function open(instance: Instance, config: ResumeConfig, memoryBytesMax: number): number {
  const scratch = instance.scratch(ResumeConfigBytes + bytesMaxOf(config.session));
  const address = scratch.records(ResumeConfigBytes);
  const session = scratch.put(config.session);
  const view = instance.memory.view;
  view.setUint32(address + ResumeConfigAt.bytes, ResumeConfigBytes, true);
  view.setUint32(address + ResumeConfigAt.session, session.address, true);
  view.setUint32(address + ResumeConfigAt.session + 4, session.bytes, true);
  for (const name of ['bytesMax', 'textBytesMax', 'ageNs'] as const) {
    view.setFloat64(address + ResumeConfigAt[name], config[name] ?? 0, true);
  }
  view.setFloat64(address + ResumeConfigAt.memoryBytesMax, memoryBytesMax, true);
  try {
    return instance.run('resume_open', address, ResumeConfigBytes);
  } catch (error) {
    throw refusal(instance, error);
  }
}

// A transport and a clock that tests hold in their hands, and sessions between them.

import {
  CallError,
  init,
  Peer,
  Profile,
  Role,
  systemClock,
  type Clock,
  type PeerOptions,
  type Sink,
  type Transport,
  type UsageError,
  type WebSocketLike,
} from '../src/node.js';

export interface Session {
  peer: Peer;
  wire: Wire;
  clock: FakeClock;
}

/** A session that has begun; what options leave out is profile plain, role peer. */
export async function dial(
  options: Partial<PeerOptions> = {},
  prepare = (peer: Peer): Peer => peer,
  isWhole = false,
  wire = new Wire(isWhole),
): Promise<Session> {
  const clock = new FakeClock();
  const peer = new Peer(await init(), { profile: Profile.Plain, role: Role.Peer, clock, ...options });
  return { peer: prepare(peer).connect(wire), wire, clock };
}

export const failsAs =
  (code: UsageError) =>
  (error: unknown): boolean =>
    error instanceof CallError && error.code === code;

/** The far side of a peer: what it wrote, and what it is to hear. */
export class Wire implements Transport {
  readonly isWhole: boolean;
  readonly written: string[] = [];
  isPaused = false;
  isWriteClosed = false;
  isClosed = false;
  /** Set: every write waits for release. */
  isStuck = false;
  failure: Error | undefined;
  /** What the transport says of its end. */
  explanation: string | Promise<string> = '';
  #sink: Sink | undefined;
  #release: (() => void) | undefined;

  constructor(isWhole = false) {
    this.isWhole = isWhole;
  }

  start(sink: Sink): void {
    if (this.#sink !== undefined) throw new Error('claimed already');
    this.#sink = sink;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.isStuck) await new Promise<void>((resolve) => (this.#release = resolve));
    if (this.failure !== undefined) throw this.failure;
    this.written.push(new TextDecoder().decode(bytes));
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  closeWrite(): void {
    this.isWriteClosed = true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  async explain(): Promise<string> {
    return this.explanation;
  }

  /** Lets writes through from now on. */
  release(): void {
    this.isStuck = false;
    this.#release?.();
  }

  /** The peer hears a message, or any text. */
  hear(message: unknown): void {
    const text = typeof message === 'string' ? message : `${JSON.stringify(message)}${this.isWhole ? '' : '\n'}`;
    this.#sink?.chunk(new TextEncoder().encode(text));
  }

  hangUp(error?: unknown): void {
    this.#sink?.end(error);
  }

  /** The messages written so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests know what they expect
  get messages(): any[] {
    return this.written
      .join(this.isWhole ? '\n' : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }
}

/** Time that stands still until it is told to go on. */
export class FakeClock implements Clock {
  #now = 1e9;
  #timers = new Set<{ at: number; fn: () => void }>();
  readonly hops: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  after(delayMs: number, fn: () => void): () => void {
    if (delayMs > 2 ** 31 - 1) throw new RangeError(`setTimeout would run at once: ${delayMs} ms`);
    const timer = { at: this.#now + delayMs * 1e6, fn };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  hop(fn: () => void): void {
    this.hops.push(fn);
  }

  /** Moves time and runs what is due, in order; hops stay for the test to run. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds * 1e6;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = due.at;
      due.fn();
    }
    this.#now = end;
  }

  /** Runs the hops that wait, not those that they begin. */
  runHop(): void {
    for (const hop of this.hops.splice(0)) hop();
  }

  runHops(): void {
    while (this.hops.length > 0) this.runHop();
  }
}

/** Resolves when everything that can go on without the outside has gone on. */
export const settled = (): Promise<void> => new Promise((resolve) => systemClock.hop(resolve));

/** A WebSocket of a browser: bytes are Blobs until it is told otherwise. */
export class FakeSocket extends EventTarget implements WebSocketLike {
  binaryType = 'blob';
  readyState = 0;
  bufferedAmount = 0;
  readonly sent: (string | Uint8Array)[] = [];

  send(data: string | Uint8Array): void {
    this.sent.push(data);
  }

  close(code = 1005): void {
    this.end(code, '');
  }

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  hear(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  end(code: number, reason: string): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason, wasClean: true }));
  }
}

/** A fake, and the same to give away. */
export const fakeSocket = (): { socket: FakeSocket; like: WebSocketLike } => {
  const socket = new FakeSocket();
  return { socket, like: socket as unknown as WebSocketLike };
};

// A transport whose lost sockets are replaced underneath: the session goes on with nothing lost,
// doubled or reordered, or it ends and says what it lost (RESUME).

import { ResumeFailureKind } from '../abi.gen.js';
import { Alarm, systemClock, type Clock } from '../clock.js';
import type { Engine } from '../engine.js';
import { closeLost, closeSuperseded, ResumeError, resumeSubprotocol, type Resume } from '../resume.js';
import type { Sink, Transport } from '../transport.js';
import { Attempt, SocketError, type Dial } from './attempt.js';
import { Backoff } from './backoff.js';
import type { Address, ResumingOptions, ResumingState } from './resuming-options.js';
import { Silence } from './silence.js';
import { wakeUps } from './wake.js';

/** Somebody whose text has found no room yet. */
interface Writer {
  bytes: Uint8Array;
  resolve(): void;
  reject(error: Error): void;
}

const beatMsDefault = 20_000;
const bufferedBytesMax = 1 << 20; // more than this unsent makes texts wait in the link
const bufferedPollMs = 10; // no event tells that the buffer has emptied

/** Close codes behind which the session may still be there: the connection broke, or its server asks for patience. */
const passing = new Set([0, 1001, 1005, 1006, 1012, 1013, 1014]);
/** Close codes by which the session is over (RESUME-8). */
const endings = new Map<number, ResumeFailureKind>([
  [closeLost.code, ResumeFailureKind.Lost],
  [closeSuperseded.code, ResumeFailureKind.Superseded],
]);
/** Close codes of an end in order. */
const clean = { resumable: [1000], plain: [1000, 1001, 1005] };

/**
 * A transport over sockets to one address, or to what a function says anew for each attempt (a fresh
 * token). It connects when a session starts on it. A server that does not choose the subprotocol is
 * spoken to on a plain socket, whose loss ends the session.
 */
export function resumingSocket(
  engine: Engine,
  address: Address | (() => Address | Promise<Address>),
  options: ResumingOptions = {},
): ResumingSocket {
  return new ResumingSocket(engine, typeof address === 'function' ? address : () => address, options);
}

/** A transport whose sockets may be lost: the session goes on over the next one (RESUME). */
export class ResumingSocket implements Transport {
  readonly isWhole = true;
  #state: ResumingState = { phase: 'connecting', attempt: 1 };
  readonly #watchers = new Set<(state: ResumingState) => void>();
  readonly #link: Resume;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #expiry: Alarm;
  readonly #silence: Silence;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #sink: Sink | undefined;
  #attempt: Attempt | undefined;
  #isResumable: boolean | undefined; // what the first socket was
  #isGreetingDue = false;
  #cancelWait: (() => void) | undefined; // for the next attempt
  #cancelPoll: (() => void) | undefined; // for room in the socket
  #writers: Writer[] = []; // that wait for room, in order
  #stopListening: (() => void)[] = [];
  #gone = Promise.resolve();

  constructor(
    private readonly engine: Engine,
    private readonly address: () => Address | Promise<Address>,
    private readonly options: ResumingOptions,
  ) {
    const { bytesMax, textBytesMax, ageMs } = options;
    this.#clock = options.clock ?? systemClock;
    this.#backoff = new Backoff(options);
    this.#link = engine.resume({
      ...(bytesMax !== undefined && { bytesMax }),
      ...(textBytesMax !== undefined && { textBytesMax }),
      ...(ageMs !== undefined && { ageNs: ageMs * 1e6 }),
    });
    this.#expiry = new Alarm(this.#clock, () => this.#guarded(() => this.#passTime()));
    this.#silence = new Silence(this.#clock, options.beatMs ?? beatMsDefault, () => this.#silent());
  }

  /** How the link stands. */
  get state(): ResumingState {
    return this.#state;
  }

  /** Runs watch at every change of state, and now; the result takes that back. It must not throw. */
  watch(watch: (state: ResumingState) => void): () => void {
    this.#watchers.add(watch);
    watch(this.#state);
    return () => this.#watchers.delete(watch);
  }

  /** Does not wait any longer, where it waits for the next attempt; attempts are counted anew. */
  retryNow(): void {
    if (this.#state.phase !== 'waiting') return;
    this.#backoff.reset();
    this.#connect();
  }

  start(sink: Sink): void {
    if (this.#sink !== undefined) throw new Error('parley: the transport has a session already');
    if (this.#isClosed) throw this.#closedError();
    this.#sink = sink;
    const { signal, wakeUps: tell = wakeUps } = this.options;
    const abort = (): void => this.#end(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort);
    this.#stopListening = [
      () => signal?.removeEventListener('abort', abort),
      this.engine.onTrap(() => this.#end(this.engine.trap)),
      tell({ retry: () => this.retryNow(), replace: () => this.#replace() }),
    ];
    this.#connect();
  }

  /** Resolves when the text is on its way, or kept until there is a socket again; waits for room (RESUME-5). */
  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#writers.length > 0 || !this.#keep(bytes)) {
      if (this.#isClosed) throw this.#closedError();
      return new Promise((resolve, reject) => this.#writers.push({ bytes, resolve, reject }));
    }
    this.#guarded(() => this.#flush(bufferedBytesMax));
  }

  /** Ends the session. What was accepted and has a socket is written first. */
  close(): Promise<void> {
    this.#guarded(() => this.#flush(Infinity)); // the socket sends what it has taken before it closes
    this.#end();
    return this.#gone;
  }

  #connect(): void {
    this.#cancelWait?.();
    this.#guarded(() => {
      void this.#attempt?.leave(closeSuperseded.code, closeSuperseded.reason);
      this.#silence.stop();
      const generation = this.#link.attach(this.#clock.now());
      this.#arm();
      this.#isGreetingDue = true;
      const attempt = new Attempt(
        generation,
        {
          opened: (isResumable) => this.#opened(isResumable),
          text: (bytes) => this.#text(generation, bytes),
          lost: (error) => this.#lost(error),
          failed: (error) => this.#end(error),
        },
        this.#clock,
      );
      this.#attempt = attempt;
      this.#tell({ phase: 'connecting', attempt: this.#backoff.attempt });
      if (this.#isClosed) return; // by a watcher
      const { dial = dialPlatform, connectTimeoutMs = 10_000 } = this.options;
      void attempt.connect(this.address, (address) => dial(this.#url(address), [resumeSubprotocol]), connectTimeoutMs);
    });
  }

  /** The address of this attempt, with the session and the count of a reconnect (RESUME-1, RESUME-10). */
  #url(address: Address): string {
    const url = new URL(address, globalThis.location?.href);
    const { beatMs = beatMsDefault } = this.options;
    if (beatMs > 0) url.searchParams.set('beat', `${beatMs}`);
    const { session, received } = this.#link.state();
    if (session !== '') {
      url.searchParams.set('session', session);
      url.searchParams.set('received', `${received}`);
    }
    url.protocol = url.protocol.replace('http', 'ws'); // a page's own address, or one relative to it
    return url.href;
  }

  #opened(isResumable: boolean): void {
    this.#isResumable ??= isResumable;
    if (this.#isResumable !== isResumable) throw new SocketError('the server does not resume sessions any more', 0);
    if (!isResumable) this.#live(() => this.#link.resume(this.#attempt!.generation, 0, this.#clock.now()));
  }

  #text(generation: number, bytes: Uint8Array): void {
    if (this.#isGreetingDue) return this.#live(() => this.#link.greet(generation, bytes, this.#clock.now()));
    const isBeat = bytes.length === 0 && this.#isResumable === true;
    this.#silence.hears(isBeat);
    if (!isBeat && this.#link.receive(generation)) this.#sink!.chunk(bytes);
  }

  #silent(): void {
    this.#guarded(() => this.#lost(new SocketError(`nothing was heard for ${this.#silence.maxMs / 1000} s`, 0)));
  }

  #live(make: () => void): void {
    this.#isGreetingDue = false;
    make();
    this.#attempt!.live();
    this.#backoff.reset();
    this.#tell({ phase: 'open', isResumable: this.#isResumable!, session: this.#link.state().session });
    this.#flush(bufferedBytesMax);
  }

  #lost(error: SocketError): void {
    const attempt = this.#attempt!;
    void attempt.leave(closeSuperseded.code, closeSuperseded.reason);
    this.#silence.stop();
    this.#cancelPoll?.();
    const wasLive = this.#state.phase === 'open';
    this.#link.detach(attempt.generation, this.#clock.now());
    this.#arm();
    const kind = endings.get(error.code) ?? this.#link.state().error?.kind;
    if (kind !== undefined) return this.#end(new ResumeError(kind, undefined, { cause: error }));
    if (wasLive && clean[this.#isResumable ? 'resumable' : 'plain'].includes(error.code)) return this.#end();
    if (!passing.has(error.code) || (wasLive && !this.#isResumable)) return this.#end(error);
    this.#wait(error);
  }

  #wait(error: SocketError): void {
    const delayMs = this.#backoff.next();
    if (delayMs === undefined)
      return this.#end(
        new SocketError(`gave up after ${this.#backoff.attempt} attempts`, error.code, error.reason, { cause: error }),
      );
    this.#cancelWait = this.#clock.after(delayMs, () => this.#connect());
    this.#tell({ phase: 'waiting', attempt: this.#backoff.attempt, delayMs, error });
  }

  /** Leaves a socket that may be dead without knowing it. */
  #replace(): void {
    if (this.#state.phase === 'waiting') this.retryNow();
    else if (this.#state.phase === 'open' && this.#isResumable) this.#connect();
  }

  /** Writes what waits, as long as the socket holds no more than bytesMax unsent. */
  #flush(bytesMax: number): void {
    this.#cancelPoll?.();
    if (this.#state.phase !== 'open') return;
    const attempt = this.#attempt!;
    for (;;) {
      const buffered = attempt.bufferedAmount;
      if (buffered === undefined) break; // it is closing: what it were given would be lost without a word
      if (buffered > bytesMax) {
        this.#cancelPoll = this.#clock.after(bufferedPollMs, () => this.#guarded(() => this.#flush(bytesMax)));
        break;
      }
      const text = this.#link.next(attempt.generation);
      if (text !== undefined) attempt.send(this.options.binary ? text : this.#decoder.decode(text));
      else if (!this.#admit()) break;
    }
    if (!this.#isClosed) this.#arm();
  }

  /** Lets in the first writer that waits, and says whether there was one and room for it. */
  #admit(): boolean {
    const [writer] = this.#writers;
    if (writer === undefined || !this.#keep(writer.bytes)) return false;
    this.#writers.shift();
    writer.resolve();
    return true;
  }

  #keep(bytes: Uint8Array): boolean {
    return this.#guarded(() => this.#link.send(bytes, this.#clock.now())) ?? false;
  }

  /** Time has passed: what is old is forgotten, and without a socket the session may be over. */
  #passTime(): void {
    this.#link.advance(this.#clock.now());
    const { error } = this.#link.state();
    if (error !== undefined) this.#end(error);
    else this.#arm();
  }

  #arm(): void {
    this.#expiry.set(this.#link.deadline);
  }

  #end(error?: unknown): void {
    if (this.#isClosed) return;
    this.#cancelWait?.();
    this.#cancelPoll?.();
    this.#expiry.set(Infinity);
    this.#silence.stop();
    for (const stop of this.#stopListening) stop();
    const { code, reason } = error instanceof ResumeError ? error.close : { code: 1000, reason: '' };
    this.#gone = this.#attempt?.leave(code, reason) ?? this.#gone;
    this.#link.free();
    this.#tell({ phase: 'closed', error });
    for (const { reject } of this.#writers.splice(0)) reject(this.#closedError());
    this.#sink?.end(error);
  }

  get #isClosed(): boolean {
    return this.#state.phase === 'closed';
  }

  #closedError(): Error {
    return new Error('parley: the socket is closed', { cause: this.#state.phase === 'closed' ? this.#state.error : undefined });
  }

  #tell(state: ResumingState): void {
    this.#state = state;
    for (const watch of [...this.#watchers]) watch(state);
  }

  /** What the machine throws, by the end of the session or of its instance, ends the session. */
  #guarded<T>(run: () => T): T | undefined {
    if (this.#isClosed) return undefined;
    try {
      return run();
    } catch (error) {
      this.#end(error);
      return undefined;
    }
  }
}

const dialPlatform: Dial = (url, protocols) => {
  if (globalThis.WebSocket === undefined)
    throw new SocketError('this platform has no WebSocket: Node.js 20 has one behind --experimental-websocket, or set dial', 0);
  return new WebSocket(url, protocols);
};

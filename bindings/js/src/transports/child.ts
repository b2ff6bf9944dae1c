// Transport over the standard streams of a child process, which it starts and ends.

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

import type { Sink, Transport } from '../transport.js';
import { Tail } from './tail.js';

/** How a server is started, and how long it may take to leave. */
export interface ChildOptions {
  cwd?: string;
  /** The whole environment; NO_COLOR=1 and TERM=dumb are added where it names neither. The default is our own. */
  env?: NodeJS.ProcessEnv;
  /** How long the child may take to leave once its stdin is closed; then its group gets SIGTERM. Default 2000. */
  graceMs?: number;
  /** How long its group may live after SIGTERM; then it gets SIGKILL. Default 2000. */
  terminateMs?: number;
  /** Gets stderr as it comes. It is drained either way, and its last 64 KiB kept (STOP-7). */
  stderr?: (chunk: Uint8Array) => void;
}

const outputMs = 500; // how long the output of a child that has exited is still read: a descendant may hold the pipe
const stderrMs = 250; // how long the rest of its stderr may take, within the time that an error waits for it
const groupPollMs = 10;

/**
 * Starts a server and is the transport to it. close ends it and its whole process group, rung by rung:
 * end of stdin, SIGTERM, SIGKILL (STOP-6). On Windows there are no groups, and descendants are left.
 */
export class ChildTransport implements Transport {
  readonly isWhole = false;
  /** Resolves with how the process ended: "exit status 0", "signal SIGKILL", or why it was not started. */
  readonly exited: Promise<string>;
  readonly stderr = new Tail();
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #options: ChildOptions;
  #sink: Sink | undefined;
  #startError: Error | undefined;
  #closed: Promise<void> | undefined;

  constructor(command: string, args: readonly string[] = [], options: ChildOptions = {}) {
    this.#options = options;
    this.#child = spawn(command, args, {
      cwd: options.cwd,
      env: { NO_COLOR: '1', TERM: 'dumb', ...(options.env ?? process.env) },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32', // a group of its own
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(signal === null ? `exit status ${code}` : `signal ${signal}`));
      this.#child.once('error', (error) => {
        this.#startError = error;
        resolve(`${command} was not started: ${error.message}`);
      });
    });
    this.#child.stdin.on('error', () => undefined); // whoever writes gets it
    this.#child.stderr.on('data', (chunk: Uint8Array) => {
      this.stderr.add(chunk);
      options.stderr?.(chunk);
    });
  }

  /** undefined where the process was not started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Begins to deliver the child's stdout; once (API-1). */
  start(sink: Sink): void {
    if (this.#sink !== undefined) throw new Error('parley: the child has a session already');
    this.#sink = sink;
    const { stdout } = this.#child;
    stdout.on('data', (chunk: Uint8Array) => sink.chunk(chunk));
    stdout.once('end', () => sink.end());
    stdout.once('error', (error) => sink.end(error));
    void this.exited.then(() => {
      if (this.#startError !== undefined) return sink.end(this.#startError);
      setTimeout(() => {
        if (stdout.destroyed) return;
        stdout.destroy();
        sink.end();
      }, outputMs).unref();
    });
  }

  /** Done when the pipe has taken the bytes: mostly at once, else when the promise resolves. */
  write(bytes: Uint8Array): Promise<void> | void {
    const { stdin } = this.#child;
    let settle: ((error?: Error | null) => void) | undefined;
    stdin.write(bytes, (error) => settle?.(error)); // never called before write returns
    if (stdin.writable && stdin.writableLength === 0) return;
    return new Promise((resolve, reject) => {
      settle = (error) => (error ? reject(error) : resolve());
    });
  }

  /** Stops reading the child's stdout, so that its pipe fills (BACK-3). */
  pause(): void {
    this.#child.stdout.pause();
  }

  /** Reads on. */
  resume(): void {
    this.#child.stdout.resume();
  }

  /** Closes the child's stdin behind what is written (STOP-5). */
  closeWrite(): void {
    this.#child.stdin.end();
  }

  /** How the process ended, and what it wrote to its stderr last (STOP-4). */
  async explain(): Promise<string> {
    const status = await this.exited;
    const { stderr } = this.#child;
    const rest = new Promise<void>((resolve) => stderr.once('close', resolve));
    if (!stderr.destroyed) await Promise.race([rest, new Promise((resolve) => setTimeout(resolve, stderrMs).unref())]);
    const lines = this.stderr.text.trim();
    return lines === '' ? status : `${status}; stderr: ${lines.slice(-1000)}`;
  }

  /** Ends the child and its group, rung by rung (STOP-6). It is repeatable. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    const { stdin, stdout, stderr } = this.#child;
    stdin.end();
    stdout.resume(); // a child that cannot write does not leave
    if (this.#startError === undefined && !(await this.#isGoneIn(this.#options.graceMs ?? 2000))) {
      this.#signal('SIGTERM');
      if (!(await this.#isGoneIn(this.#options.terminateMs ?? 2000))) this.#signal('SIGKILL');
    }
    await this.exited;
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  }

  /** Whether leader and group are gone within that time. */
  async #isGoneIn(milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds;
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
    await Promise.race([this.exited, timeUp]);
    clearTimeout(timer);
    while (this.#isAlive()) {
      if (performance.now() >= end) return false;
      await new Promise((resolve) => setTimeout(resolve, groupPollMs));
    }
    return true;
  }

  #isAlive(): boolean {
    return this.#signal(0);
  }

  /** Reaches every member of the group; whether there was one. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child;
    if (pid === undefined) return false;
    try {
      return process.kill(process.platform === 'win32' ? pid : -pid, signal);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH' && code !== 'EPERM') throw error; // EPERM: only zombies are left, on macOS
      return false;
    }
  }
}

// The ten functions of wasi_snapshot_preview1 that the module imports, and nothing else of WASI: no
// files, no arguments, no environment.

import type { LinearMemory } from './memory.js';

/** How much of what the module writes to descriptor 2 is kept, from the start, in bytes. */
const stderrBytesMax = 16 << 10;

const success = 0;
const badDescriptor = 8;
const notSupported = 58;

/** A size of the WASI records that poll_oneoff reads and writes, in bytes. */
const eventBytes = 32;

const randomBytesMax = 65536; // of one crypto.getRandomValues

/** Thrown out of the module when it calls proc_exit: a Go program that ends has failed. */
export class ExitError extends Error {
  constructor(readonly exitCode: number) {
    super(`the module exited with code ${exitCode}`);
  }
}

/** The imports of one instance. Clock and randomness are real: docs/abi.md says why. */
export class Wasi {
  #stderr = '';
  readonly #decoder = new TextDecoder();

  constructor(private readonly memory: LinearMemory) {}

  /** What the module wrote to its stderr, at most 16 KiB: the text of a Go panic. */
  get stderr(): string {
    return this.#stderr;
  }

  get imports(): WebAssembly.Imports {
    return {
      wasi_snapshot_preview1: {
        args_get: () => success,
        args_sizes_get: (count: number, bytes: number) => this.#nothing(count, bytes),
        environ_get: () => success,
        environ_sizes_get: (count: number, bytes: number) => this.#nothing(count, bytes),
        clock_time_get: (clock: number, _precision: bigint, into: number) => this.#time(clock, into),
        random_get: (into: number, size: number) => this.#random(into, size),
        fd_write: (fd: number, list: number, count: number, written: number) => this.#write(fd, list, count, written),
        poll_oneoff: (from: number, into: number, count: number, ready: number) => this.#poll(from, into, count, ready),
        sched_yield: () => success,
        proc_exit: (code: number) => {
          throw new ExitError(code);
        },
      },
    };
  }

  #nothing(count: number, bytes: number): number {
    const view = this.memory.view;
    view.setUint32(count, 0, true);
    view.setUint32(bytes, 0, true);
    return success;
  }

  #time(clock: number, into: number): number {
    const realtime = 0;
    const milliseconds = clock === realtime ? Date.now() : performance.now();
    this.memory.view.setBigUint64(into, BigInt(Math.round(milliseconds * 1e6)), true);
    return success;
  }

  #random(into: number, size: number): number {
    for (let at = 0; at < size; at += randomBytesMax) {
      const part = new Uint8Array(Math.min(size - at, randomBytesMax));
      this.memory.bytes.set(crypto.getRandomValues(part), into + at);
    }
    return success;
  }

  #write(fd: number, list: number, count: number, written: number): number {
    if (fd !== 1 && fd !== 2) return badDescriptor;
    const view = this.memory.view;
    let total = 0;
    for (let i = 0; i < count; i++) {
      const address = view.getUint32(list + 8 * i, true);
      const size = view.getUint32(list + 8 * i + 4, true);
      const kept = Math.min(size, stderrBytesMax - this.#stderr.length);
      if (kept > 0) this.#stderr += this.#decoder.decode(this.memory.slice(address, kept), { stream: true });
      total += size;
    }
    view.setUint32(written, total, true);
    return success;
  }

  /** The Go runtime polls with one clock subscription and throws where that fails. It never has to wait. */
  #poll(from: number, into: number, count: number, ready: number): number {
    const view = this.memory.view;
    const clockSubscription = 0;
    for (let i = 0; i < count; i++) {
      const subscription = from + 48 * i;
      if (view.getUint8(subscription + 8) !== clockSubscription) return notSupported;
      const event = into + eventBytes * i;
      this.memory.bytes.fill(0, event, event + eventBytes);
      view.setBigUint64(event, view.getBigUint64(subscription, true), true);
    }
    view.setUint32(ready, count, true);
    return success;
  }
}

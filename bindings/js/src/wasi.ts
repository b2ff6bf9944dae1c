// The ten functions of wasi_snapshot_preview1 that the module imports, with what a command asks of its
// stdio beside them, and nothing else of WASI: no files, no arguments, no environment.

import type { LinearMemory } from './memory.js';

/** How much of what the module writes to descriptor 2 is kept, from the start, in bytes. */
const stderrBytesMax = 16 << 10;

const success = 0;
const badDescriptor = 8;
const notSupported = 58;
const isPipe = 70;

/** A size of the WASI records that poll_oneoff reads and writes, in bytes. */
const eventBytes = 32;

const randomBytesMax = 65536; // of one crypto.getRandomValues

/** Thrown out of the module when it calls proc_exit: a Go program that ends has failed. */
export class ExitError extends Error {
  constructor(readonly exitCode: number) {
    super(`the module exited with code ${exitCode}`);
  }
}

/** The descriptors 0 to 2 of a command. Both block, and throw the errno of WASI, a number, where they fail. */
export interface Stdio {
  /** Reads some bytes of descriptor 0 into a view of memory and returns how many; 0 is the end. */
  read(into: Uint8Array): number;
  /** Writes some of the bytes to descriptor 1 or 2 and returns how many. */
  write(fd: number, bytes: Uint8Array): number;
}

/** The imports of one instance. Clock and randomness are real: docs/abi.md says why. */
export class Wasi {
  #stderr = '';
  readonly #decoder = new TextDecoder();

  constructor(
    private readonly memory: LinearMemory,
    private readonly stdio?: Stdio,
  ) {}

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
        ...(this.stdio === undefined ? {} : this.#descriptors(this.stdio)),
      },
    };
  }

  /** What Go asks of descriptors before it reads and writes them. The flags say that they block. */
  #descriptors(stdio: Stdio): Record<string, (...args: number[]) => number> {
    const characterDevice = 2;
    return {
      fd_read: (fd, list, count, read) =>
        fd === 0 ? this.#each(list!, count!, read!, (into) => stdio.read(into)) : badDescriptor,
      fd_write: (fd, list, count, written) =>
        fd === 1 || fd === 2 ? this.#each(list!, count!, written!, (bytes) => stdio.write(fd, bytes)) : badDescriptor,
      fd_fdstat_get: (fd, into) => {
        if (fd! > 2) return badDescriptor;
        this.memory.bytes.fill(0, into, into! + 24);
        this.memory.view.setUint8(into!, characterDevice);
        return success;
      },
      fd_fdstat_set_flags: () => notSupported,
      fd_filestat_get: () => notSupported,
      fd_seek: () => isPipe,
      fd_close: () => success,
      fd_prestat_get: () => badDescriptor,
      fd_prestat_dir_name: () => badDescriptor,
    };
  }

  /** Moves bytes between a descriptor and the pieces of a list, until one of them moves in part. */
  #each(list: number, count: number, moved: number, move: (piece: Uint8Array) => number): number {
    let total = 0;
    try {
      for (let i = 0; i < count; i++) {
        const address = this.memory.view.getUint32(list + 8 * i, true);
        const size = this.memory.view.getUint32(list + 8 * i + 4, true);
        if (size === 0) continue;
        const part = move(this.memory.bytes.subarray(address, address + size));
        total += part;
        if (part < size) break;
      }
    } catch (error) {
      if (typeof error !== 'number') throw error;
      if (total === 0) return error;
    }
    this.memory.view.setUint32(moved, total, true);
    return success;
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

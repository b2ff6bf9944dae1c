// The core as a WASI command in a process of Node: descriptors 0 to 2 are this process's, and blocking.
// node:wasi will not do: it sets O_NONBLOCK on stdin, and a Go program then ends at its first idle read.

import { readSync, writeSync } from 'node:fs';

import { LinearMemory } from './memory.js';
import { ExitError, type Stdio, Wasi } from './wasi.js';

const errno: Record<string, number> = { EPIPE: 64, EBADF: 8, ECONNRESET: 15, EINTR: 27, ENOSPC: 51 };
const inputOutput = 29;
const waitMs = 1;

/** Runs a command until its stdin ends, and returns its exit code. Nothing else runs in this thread meanwhile. */
export function runCommand(module: WebAssembly.Module): number {
  const memory = new LinearMemory();
  const wasi = new Wasi(memory, stdio);
  const { exports } = new WebAssembly.Instance(module, wasi.imports);
  if (!(exports.memory instanceof WebAssembly.Memory) || typeof exports._start !== 'function') {
    throw new TypeError('parley: this module is no WASI command');
  }
  memory.wasm = exports.memory;
  try {
    exports._start();
  } catch (error) {
    if (error instanceof ExitError) return error.exitCode;
    throw error;
  }
  return 0;
}

const stdio: Stdio = {
  read: (into) => blocking(() => readSync(0, into)),
  write: (fd, bytes) => blocking(() => writeSync(fd, bytes)),
};

/**
 * Moves bytes as a descriptor that blocks: it waits where whoever made the pipe has set it to answer EAGAIN instead. What
 * it throws is an errno of WASI.
 */
export function blocking(move: () => number): number {
  for (;;) {
    try {
      return move();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0; // a pipe that is closed, on Windows
      if (code !== 'EAGAIN') throw errno[code ?? ''] ?? inputOutput;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
    }
  }
}

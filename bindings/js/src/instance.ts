// One instance of the module: its exports, its memory, and the poison that a failure leaves.

import { BoundaryError, ScratchBytesMin, UsageError, VersionMajor } from './abi.gen.js';
import { RefusedError, TrapError } from './errors.js';
import { LinearMemory } from './memory.js';
import { Scratch } from './scratch.js';
import { Wasi } from './wasi.js';

type Export = (...args: number[]) => number;

const prefix = /^parley_/;
const blockBytesMin = 4 << 10; // of scratch, so that few commands ask for more

/** An instance is shared by the machines of one engine. Nothing in it is asynchronous. */
export class Instance {
  /** Why the instance is dead; undefined while it lives. */
  trap: TrapError | undefined;
  /** Called once, later, when the instance dies. */
  readonly onTrap = new Set<() => void>();
  readonly #scratch: Scratch;

  private constructor(
    readonly memory: LinearMemory,
    private readonly wasi: Wasi,
    private readonly exports: Record<string, Export>,
  ) {
    this.#scratch = new Scratch(memory);
    this.run('_initialize');
    const version = this.run('version');
    if (version >>> 16 !== VersionMajor) {
      throw new Error(`parley: the module speaks ABI ${version >>> 16}.${version & 0xffff}, want ${VersionMajor}`);
    }
  }

  static async create(module: WebAssembly.Module): Promise<Instance> {
    const memory = new LinearMemory();
    const wasi = new Wasi(memory);
    const { exports } = await WebAssembly.instantiate(module, wasi.imports);
    if (!(exports.memory instanceof WebAssembly.Memory) || !('_initialize' in exports)) {
      throw new TypeError('parley: this module is no parley reactor');
    }
    memory.wasm = exports.memory;
    const named = Object.entries(exports).map(([name, value]) => [name.replace(prefix, ''), value]);
    return new Instance(memory, wasi, Object.fromEntries(named) as Record<string, Export>);
  }

  /**
   * Runs the export parley_NAME, which returns a value from 0, or the negative of an error, which is thrown. A trap
   * poisons the instance.
   */
  run(name: string, ...args: number[]): number {
    if (this.trap !== undefined) throw this.trap;
    let result: number;
    try {
      result = this.exports[name]!(...args);
    } catch (cause) {
      throw this.poison(name, cause);
    }
    if (result < 0) throw new RefusedError(-result as UsageError | BoundaryError);
    return result;
  }

  /**
   * Room for the arguments of one export, bytesMax of them. The block is asked for again only where
   * it is too small, or large for nothing. What no open connection would accept is TooLarge.
   */
  scratch(bytesMax: number): Scratch {
    const scratch = this.#scratch;
    if (bytesMax > scratch.bytes || scratch.bytes > ScratchBytesMin) {
      const size = Math.max(bytesMax, blockBytesMin);
      scratch.reset(0, 0);
      try {
        scratch.reset(this.run('scratch', size), size);
      } catch (error) {
        if (!(error instanceof RefusedError) || error.code !== BoundaryError.Scratch) throw error;
        throw new RefusedError(UsageError.TooLarge);
      }
    }
    scratch.rewind();
    return scratch;
  }

  /** Marks the instance as dead; the first reason stays. */
  poison(exportName: string, cause: unknown): TrapError {
    if (this.trap === undefined) {
      this.trap = new TrapError(exportName, this.wasi.stderr, cause);
      for (const tell of this.onTrap) queueMicrotask(tell);
    }
    return this.trap;
  }
}

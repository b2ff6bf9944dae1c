// An engine: the compiled module, one instance of it, and the machines on that instance.

import { MemoryBytesCeiling } from './abi.gen.js';
import type { Config } from './config.js';
import { EraNegotiation, type EraConfig } from './era.js';
import type { TrapError } from './errors.js';
import { Instance } from './instance.js';
import { Machine } from './machine.js';
import { Resume, type ResumeConfig } from './resume.js';

/** Options of `init`. */
export interface EngineOptions {
  /**
   * What the linear memory of the instance may grow to, in bytes, at most 2 GiB; 1 GiB by default. It
   * bounds the sum over all machines (BACK-4): one whose limits do not fit beside the others is refused.
   */
  memoryBytesMax?: number;
}

const memoryBytesDefault = 1 << 30;

/** One instance serves all connections of a page or process; a trap ends them together. */
export class Engine {
  private constructor(
    private readonly instance: Instance,
    /** The compiled module, which may be posted to workers. */
    readonly module: WebAssembly.Module,
    private readonly memoryBytesMax: number,
  ) {}

  static async create(module: WebAssembly.Module, options: EngineOptions = {}): Promise<Engine> {
    const memoryBytesMax = options.memoryBytesMax ?? memoryBytesDefault;
    if (!(memoryBytesMax > 0 && memoryBytesMax <= MemoryBytesCeiling)) {
      throw new RangeError(`parley: memoryBytesMax = ${memoryBytesMax}, want 1 to ${MemoryBytesCeiling}`);
    }
    return new Engine(await Instance.create(module), module, memoryBytesMax);
  }

  /** Makes a machine. A configuration that is refused is a ConfigError, and so is one that does not fit in memory. */
  machine(config: Config): Machine {
    return new Machine(this.instance, config, this.memoryBytesMax);
  }

  /** Makes one side of a session that outlives its sockets; resumingSocket makes its own. */
  resume(config: ResumeConfig = {}): Resume {
    return new Resume(this.instance, config, this.memoryBytesMax);
  }

  /** Begins to find out which era of MCP a server speaks. */
  era(config: EraConfig): EraNegotiation {
    return new EraNegotiation(this.instance, config);
  }

  /** The failure that ended the instance; undefined while it lives. Make a new engine after it. */
  get trap(): TrapError | undefined {
    return this.instance.trap;
  }

  /** Runs fn when the instance fails; the result takes that back. */
  onTrap(fn: () => void): () => void {
    this.instance.onTrap.add(fn);
    return () => this.instance.onTrap.delete(fn);
  }
}

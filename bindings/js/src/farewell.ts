// What a language server is told before its session ends (STOP-10).

import { Profile, Role } from './abi.gen.js';
import type { Config } from './config.js';

/** The words that are due, each a method; both undefined before the handshake. */
interface Words {
  shutdown?: string;
  exit?: string;
}

/** Keyed by the handshake after which they are due: LSP's, and BSP's. */
const words = new Map<string, Required<Words>>([
  ['initialize', { shutdown: 'shutdown', exit: 'exit' }],
  ['build/initialize', { shutdown: 'build/shutdown', exit: 'build/exit' }],
]);

/** Follows what an LSP client has said already, so that close says the rest and nothing twice. */
export class Farewell {
  #due: Words = {};
  readonly #isClient: boolean;

  constructor({ profile, role }: Config) {
    this.#isClient = profile === Profile.LSP && role === Role.Client;
  }

  get due(): Readonly<Words> {
    return this.#due;
  }

  /** A call of ours got its result. */
  answered(method: string): void {
    if (!this.#isClient) return;
    const all = words.get(method);
    if (all !== undefined) this.#due = all;
    else if (method === this.#due.shutdown) this.#due = { exit: this.#due.exit! };
  }

  /** A notification of ours is in the queue. */
  told(method: string): void {
    if (method === this.#due.exit) this.#due = {};
  }
}

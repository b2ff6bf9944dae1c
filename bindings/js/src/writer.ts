// The writer of one session: takes blocks and reports what is written.

import type { Transport } from './transport.js';

const writeBytesMax = 16 << 10; // progress is noted after each (SEND-6)

/** What the writer asks of its session. After the session's end take is undefined and the rest nothing. */
export interface Output {
  take(): Uint8Array<ArrayBuffer> | undefined;
  wrote(size: number): void;
  failed(error: unknown): void;
  /** Everything owed is written, and the output to be closed. */
  isDone(): boolean;
}

export class Writer {
  #isWriting = false;
  #isClosed = false;

  constructor(
    private readonly transport: Transport,
    private readonly output: Output,
  ) {}

  /** Writes while there is something to write. A call during that changes nothing. */
  pump(): void {
    if (!this.#isWriting && !this.#isClosed) void this.#write();
  }

  /** It never rejects. Up to the first patience of the transport it is synchronous. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      for (let block = this.output.take(); block !== undefined; block = this.output.take()) await this.#writeBlock(block);
      if (this.output.isDone()) this.#close();
    } catch (error) {
      this.#isClosed = true;
      this.output.failed(error);
    } finally {
      this.#isWriting = false;
    }
  }

  async #writeBlock(block: Uint8Array<ArrayBuffer>): Promise<void> {
    const pieceBytesMax = this.transport.isWhole ? block.length : writeBytesMax;
    for (let at = 0; at < block.length; at += pieceBytesMax) {
      const piece = block.subarray(at, at + pieceBytesMax);
      await this.transport.write(piece);
      this.output.wrote(piece.length);
    }
  }

  #close(): void {
    this.#isClosed = true;
    this.transport.closeWrite?.();
  }
}

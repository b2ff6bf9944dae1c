// The writer of one session: writes the blocks that turns hand to it and reports what is written.

import type { Transport } from './transport.js';

const writeBytesMax = 16 << 10; // progress is noted after each (SEND-6)
const nothing = new Uint8Array(0);

/** What the writer tells its session. */
export interface Output {
  /** size more bytes are written: a turn, which may hand over the next block. */
  wrote(size: number): void;
  failed(error: unknown): void;
  /** Everything owed is written, and the output to be closed. */
  isDone(): boolean;
}

export class Writer {
  #rest = nothing; // of the block
  #pieceBytes = 0; // of the piece that the transport has
  #isPumping = false;
  #isClosed = false;

  constructor(
    private readonly transport: Transport,
    private readonly output: Output,
  ) {}

  /** Whether it takes another block. */
  get isFree(): boolean {
    return this.#rest.length === 0 && this.#pieceBytes === 0 && !this.#isClosed;
  }

  /** Takes a block over, to be written by the next pump; only while isFree. */
  accept(block: Uint8Array<ArrayBuffer>): void {
    this.#rest = block;
  }

  /** Writes up to the first patience of the transport, and goes on behind it. A call during that changes nothing. */
  pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (this.#rest.length > 0 && this.#pieceBytes === 0 && !this.#isClosed) this.#writePiece();
    this.#isPumping = false;
    if (this.isFree && this.output.isDone()) this.#close();
  }

  #writePiece(): void {
    const piece = this.transport.isWhole ? this.#rest : this.#rest.subarray(0, writeBytesMax);
    this.#rest = this.#rest.subarray(piece.length);
    this.#pieceBytes = piece.length;
    let patience: Promise<void> | void;
    try {
      patience = this.transport.write(piece);
    } catch (error) {
      return this.#fail(error);
    }
    if (patience === undefined) this.#wrote();
    else Promise.resolve(patience).then(this.#goOn, this.#fail); // void says that it may be anything
  }

  #wrote(): void {
    const size = this.#pieceBytes;
    this.#pieceBytes = 0;
    this.output.wrote(size);
  }

  readonly #goOn = (): void => {
    this.#wrote();
    this.pump();
  };

  readonly #fail = (error: unknown): void => {
    this.#isClosed = true;
    this.output.failed(error);
  };

  #close(): void {
    this.#isClosed = true;
    this.transport.closeWrite?.();
  }
}

// The end of what a child writes to its stderr.

const tailBytesMax = 64 << 10;

/** The last 64 KiB that were added (STOP-7). */
export class Tail {
  /** All that was ever added, in bytes. */
  bytesTotal = 0;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  add(chunk: Uint8Array): void {
    this.bytesTotal += chunk.length;
    this.#chunks.push(chunk.subarray(-tailBytesMax));
    this.#bytes += Math.min(chunk.length, tailBytesMax);
    while (this.#bytes - this.#chunks[0]!.length >= tailBytesMax) this.#bytes -= this.#chunks.shift()!.length;
  }

  /** At most 64 KiB; escape it before showing it. */
  get text(): string {
    const decoder = new TextDecoder();
    const text = this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('');
    return text.slice(-tailBytesMax);
  }
}

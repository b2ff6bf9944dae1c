// Linear memory as views. It grows in any call of the module, which detaches its buffer: no view is
// kept without asking whether it is still the memory's.

/** Views of one linear memory, made anew where it has moved. */
export class LinearMemory {
  /** The memory, once the module that exports it exists. */
  wasm: WebAssembly.Memory | undefined;
  #bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);

  /** All of memory, good until the next call of an export. */
  get bytes(): Uint8Array {
    this.#refresh();
    return this.#bytes;
  }

  /** All of memory, good until the next call of an export. */
  get view(): DataView {
    this.#refresh();
    return this.#view;
  }

  /** A copy of size bytes from an address. */
  slice(address: number, size: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.bytes.subarray(address, address + size));
  }

  #refresh(): void {
    const buffer = this.wasm?.buffer;
    if (buffer === undefined || buffer === this.#bytes.buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }
}

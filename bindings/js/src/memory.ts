// Linear memory as views. It grows in any call of the module, which detaches its buffer: no view is
// kept without asking whether it is still the memory's.

/** Views of one linear memory, made anew where it has moved. */
export class LinearMemory {
  /** The memory, once the module that exports it exists. */
  wasm: WebAssembly.Memory | undefined;
  #bytes = new Uint8Array(0); // of no length, too, once its buffer is detached
  #view = new DataView(this.#bytes.buffer);

  /** All of memory, good until the next call of an export. */
  get bytes(): Uint8Array {
    if (this.#bytes.length === 0) this.#renew();
    return this.#bytes;
  }

  /** All of memory, good until the next call of an export. */
  get view(): DataView {
    if (this.#bytes.length === 0) this.#renew();
    return this.#view;
  }

  /** A copy of size bytes from an address. */
  slice(address: number, size: number): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(address, address + size) as Uint8Array<ArrayBuffer>;
  }

  #renew(): void {
    if (this.wasm === undefined) return;
    this.#bytes = new Uint8Array(this.wasm.buffer);
    this.#view = new DataView(this.wasm.buffer);
  }
}

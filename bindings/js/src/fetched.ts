// Facts that one call of the module has fetched and nobody has read yet.

import { MachineEvent } from './event.js';
import type { LinearMemory } from './memory.js';

/** A row of event records, read one by one. */
export class Fetched {
  #address = 0; // of the next record
  #count = 0; // records from there on
  #strideBytes = 0;
  #kept: MachineEvent[] = []; // copies of records that have expired

  constructor(private readonly memory: LinearMemory) {}

  /** Takes over what a turn has fetched. The row before has been read. */
  fill(address: number, count: number, strideBytes: number): void {
    this.#address = address;
    this.#count = count;
    this.#strideBytes = strideBytes;
  }

  /** Reads the next one into event; false: there is none. */
  next(event: MachineEvent): boolean {
    if (this.#kept.length > 0) {
      event.copy(this.#kept.shift()!);
      return true;
    }
    if (this.#count === 0) return false;
    event.read(this.memory, this.#address);
    this.#address += this.#strideBytes;
    this.#count--;
    return true;
  }

  /** An input is about to make the row expire: what has not been read survives it, as facts do that nobody has fetched. */
  keep(): void {
    while (this.#count > 0) {
      const event = new MachineEvent();
      event.read(this.memory, this.#address);
      event.keep();
      this.#kept.push(event);
      this.#address += this.#strideBytes;
      this.#count--;
    }
  }
}

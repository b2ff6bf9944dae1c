// One fact, read in place.

import { EventAt, type Class, type Code, type EventKind, type Hint, type Invalid, type Reason } from './abi.gen.js';
import type { LinearMemory } from './memory.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * One event of a machine, filled in by `Machine.next`. Its numbers stay; its bytes lie in linear
 * memory and are good until the next input of that machine (commit, advance, any command): copy or
 * decode what you keep. Which members are set stands beside each kind in package core.
 */
export class MachineEvent {
  kind: EventKind = 0;
  class: Class = 0;
  reason: Reason = 0;
  invalid: Invalid = 0;
  hint: Hint = 0;
  code: Code | number = 0;
  call = 0; // handle of our call, no wire id
  req = 0; // handle of their message, no wire id; 0: nobody
  ordinal = 0;
  offset = 0; // bytes from the start of the stream
  count = 0;
  #memory: { readonly bytes: Uint8Array } | undefined;
  readonly #spans = new Uint32Array(10); // address and size of id, method, body, text, frame

  /** The raw JSON token of their id, or of our call's. */
  get id(): Uint8Array | undefined {
    return this.#bytes(EventAt.id);
  }

  /** The method, unescaped. */
  get method(): string {
    return decoder.decode(this.#bytes(EventAt.method));
  }

  /** The method as UTF-8. */
  get methodBytes(): Uint8Array | undefined {
    return this.#bytes(EventAt.method);
  }

  /** Raw JSON, already validated; undefined where the member is absent. */
  get body(): Uint8Array | undefined {
    return this.#bytes(EventAt.body);
  }

  /** A message of the peer's, unescaped, or a sample: escape it before showing it. */
  get text(): Uint8Array | undefined {
    return this.#bytes(EventAt.text);
  }

  /** Of a relay: the whole frame. */
  get frame(): Uint8Array | undefined {
    return this.#bytes(EventAt.frame);
  }

  /** body as a string. */
  get bodyText(): string | undefined {
    const body = this.body;
    return body && decoder.decode(body);
  }

  /** Reads the record at an address. */
  read(memory: LinearMemory, address: number): void {
    const view = memory.view;
    this.#memory = memory;
    this.kind = view.getUint8(address + EventAt.kind) as EventKind;
    this.class = view.getUint8(address + EventAt.class) as Class;
    this.reason = view.getUint8(address + EventAt.reason) as Reason;
    this.invalid = view.getUint8(address + EventAt.invalid) as Invalid;
    this.hint = view.getUint8(address + EventAt.hint) as Hint;
    this.code = view.getInt32(address + EventAt.code, true);
    this.call = view.getFloat64(address + EventAt.call, true);
    this.req = view.getFloat64(address + EventAt.req, true);
    this.ordinal = view.getFloat64(address + EventAt.ordinal, true);
    this.offset = view.getFloat64(address + EventAt.offset, true);
    this.count = view.getFloat64(address + EventAt.count, true);
    for (let i = 0; i < this.#spans.length; i++) this.#spans[i] = view.getUint32(address + EventAt.id + 4 * i, true);
  }

  /** Takes the bytes out of linear memory, so that they outlive every input. */
  keep(): void {
    const bytes = new Uint8Array(this.#spans.reduce((sum, part, i) => (i % 2 === 0 ? sum : sum + part), 1));
    let used = 1; // address 0 is an absent member
    for (let i = 0; i < this.#spans.length; i += 2) {
      const address = this.#spans[i]!;
      if (address === 0) continue;
      const size = this.#spans[i + 1]!;
      bytes.set(this.#memory!.bytes.subarray(address, address + size), used);
      this.#spans[i] = used;
      used += size;
    }
    this.#memory = { bytes };
  }

  /** Becomes what other is. */
  copy(other: MachineEvent): void {
    this.kind = other.kind;
    this.class = other.class;
    this.reason = other.reason;
    this.invalid = other.invalid;
    this.hint = other.hint;
    this.code = other.code;
    this.call = other.call;
    this.req = other.req;
    this.ordinal = other.ordinal;
    this.offset = other.offset;
    this.count = other.count;
    this.#memory = other.#memory;
    this.#spans.set(other.#spans);
  }

  #bytes(at: number): Uint8Array | undefined {
    const index = (at - EventAt.id) / 4;
    const address = this.#spans[index]!;
    return address === 0 ? undefined : this.#memory?.bytes.subarray(address, address + this.#spans[index + 1]!);
  }
}

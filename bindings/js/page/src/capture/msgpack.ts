// MessagePack, as far as records are made of it. Every length is held against the bytes that are there.

/** The value of a member that this page does not know. */
export const unknown = Symbol('unknown');

export type Value = number | boolean | Uint8Array | Value[] | typeof unknown;

const settingsMax = 256; // entries of an array that is read; what is skipped may have more
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads values one after the other. What is wrong with them is a RangeError. */
export class MsgpackReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** How many members the map has that begins here. */
  mapSize(): number {
    const tag = this.#uint(1);
    if (tag >= 0x80 && tag <= 0x8f) return tag & 0x0f;
    if (tag === 0xde) return this.#uint(2);
    if (tag === 0xdf) return this.#uint(4);
    throw new RangeError('no map');
  }

  /** The name of a member. */
  name(): string {
    const tag = this.#uint(1);
    if (tag >= 0xa0 && tag <= 0xbf) return utf8.decode(this.#take(tag & 0x1f));
    if (tag >= 0xd9 && tag <= 0xdb) return utf8.decode(this.#take(this.#uint(1 << (tag - 0xd9))));
    throw new RangeError('a name that is no string');
  }

  /** A value of the kinds that records have; any other is passed over. */
  value(depth = 0): Value {
    const tag = this.#uint(1);
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 0x100;
    if (tag === 0xc2 || tag === 0xc3) return tag === 0xc3;
    if (tag >= 0xc4 && tag <= 0xc6) return this.#take(this.#uint(1 << (tag - 0xc4)));
    if (tag >= 0xcc && tag <= 0xcf) return this.#uint(1 << (tag - 0xcc));
    if (tag >= 0xd0 && tag <= 0xd3) return this.#int(1 << (tag - 0xd0));
    const count = tag >= 0x90 && tag <= 0x9f ? tag & 0x0f : tag === 0xdc ? this.#uint(2) : undefined;
    if (count !== undefined && count <= settingsMax && depth < 2)
      return Array.from({ length: count }, () => this.value(depth + 1));
    this.#at--;
    this.#skip();
    return unknown;
  }

  /** Passes over one value, however deep it nests: what is still to be passed over is counted. */
  #skip(): void {
    for (let left = 1; left > 0; left--) {
      const tag = this.#uint(1);
      if (tag < 0x80 || tag >= 0xe0 || tag === 0xc0 || tag === 0xc2 || tag === 0xc3) continue;
      if (tag <= 0x8f) left += 2 * (tag & 0x0f);
      else if (tag <= 0x9f) left += tag & 0x0f;
      else if (tag <= 0xbf) this.#take(tag & 0x1f);
      else if (tag >= 0xc4 && tag <= 0xc6) this.#take(this.#uint(1 << (tag - 0xc4)));
      else if (tag >= 0xc7 && tag <= 0xc9)
        this.#take(this.#uint(1 << (tag - 0xc7)) + 1); // an extension, behind its type
      else if (tag === 0xca || tag === 0xcb) this.#take(tag === 0xca ? 4 : 8);
      else if (tag >= 0xcc && tag <= 0xd3) this.#take(1 << (tag & 3));
      else if (tag >= 0xd4 && tag <= 0xd8) this.#take((1 << (tag - 0xd4)) + 1);
      else if (tag >= 0xd9 && tag <= 0xdb) this.#take(this.#uint(1 << (tag - 0xd9)));
      else if (tag >= 0xdc && tag <= 0xdf) left += this.#uint(tag & 1 ? 4 : 2) * (tag >= 0xde ? 2 : 1);
      else throw new RangeError('a byte that begins no value');
    }
  }

  #take(size: number): Uint8Array {
    const end = this.#at + size;
    if (end > this.#bytes.length) throw new RangeError(`${size} bytes where ${this.#bytes.length - this.#at} are left`);
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Above 2^53 it is rounded. */
  #uint(size: number): number {
    return this.#take(size).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  #int(size: number): number {
    const at = this.#at;
    this.#take(size);
    if (size === 1) return this.#view.getInt8(at);
    if (size === 2) return this.#view.getInt16(at);
    if (size === 4) return this.#view.getInt32(at);
    return Number(this.#view.getBigInt64(at));
  }
}

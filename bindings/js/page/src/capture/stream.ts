// The messages in the bytes of one direction. A relay of the core cuts and judges them.

import { Class, EventKind, Framing, Profile, Role } from '../../../src/abi.gen.js';
import { kinds } from '../../../src/adapters/seam.js';
import { MachineEvent } from '../../../src/event.js';
import type { Engine } from '../../../src/engine.js';
import type { Machine } from '../../../src/machine.js';
import { limitDefaults } from '../../../src/options.js';
import { relayed } from '../../../src/relayed.js';
import type { Direction, Passing } from '../traffic/message.js';

/** How messages are told apart: guess is to find out from where they can begin. */
export type CaptureFraming = 'guess' | 'header' | 'line' | 'length4';

const framings = { header: Framing.Header, line: Framing.Line, length4: Framing.Length4 } as const;
const creditMax = 2 ** 31 - 1;
const pieceBytesMax = 64 << 10; // what one commit turns into is bounded
const headBytesMax = 'content-length:'.length;
const latin1 = new TextDecoder('latin1');

export class Stream {
  #framing: CaptureFraming;
  #machine: Machine | undefined; // undefined: looking for a place where a message can begin
  #head = new Uint8Array(); // the end of what was looked through
  #isLineStart = true; // what is looked at next, #head before it, begins a line
  readonly #event = new MachineEvent();
  /** Bytes that are in no message and were passed over. */
  noiseBytes = 0;

  constructor(
    private readonly engine: Engine,
    private readonly direction: Direction,
    framing: CaptureFraming,
    private readonly found: (passing: Passing) => void,
  ) {
    this.#framing = framing;
    if (framing !== 'guess') this.#begin(framing);
  }

  /** Takes the next bytes of the stream. */
  feed(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += pieceBytesMax) {
      const piece = bytes.subarray(at, at + pieceBytesMax);
      const rest = this.#machine === undefined ? this.#seek(piece) : piece;
      if (rest !== undefined) this.#commit((machine) => machine.commit(rest));
    }
  }

  /** Bytes are missing: what follows may be the rest of a message. */
  skip(): void {
    this.#giveUp();
  }

  /** No byte follows; a last line needs no end. */
  end(): void {
    this.#commit((machine) => machine.commitEOF());
    this.#giveUp();
  }

  #begin(framing: keyof typeof framings): void {
    this.#machine = this.engine.machine({
      profile: Profile.Plain,
      role: Role.Relay,
      framing: framings[framing],
      resync: framing === 'header', // HEAD-8
      limits: { ...limitDefaults, callsMax: 1, abandonedMax: 1 },
    });
    this.#machine.want(creditMax);
  }

  #commit(input: (machine: Machine) => void): void {
    const machine = this.#machine;
    if (machine === undefined) return;
    input(machine);
    while (machine.next(this.#event)) {
      if (this.#event.kind !== EventKind.Message) continue;
      const { class: kind, method, id, bytes, text } = relayed(this.#event);
      this.found({ direction: this.direction, kind: kinds[kind], method, id, bytes, text });
    }
    if (machine.error === undefined) return;
    const { message } = machine.error;
    this.found({ direction: this.direction, kind: kinds[Class.Invalid], method: '', id: undefined, bytes: 0, text: message });
    this.#giveUp();
  }

  #giveUp(): void {
    this.#machine?.free();
    this.#machine = undefined;
    this.noiseBytes += this.#head.length;
    this.#head = new Uint8Array();
    this.#isLineStart = false;
  }

  /** Looks for a place where a message can begin, and returns the bytes from there. */
  #seek(piece: Uint8Array): Uint8Array | undefined {
    const bytes = new Uint8Array(this.#head.length + piece.length);
    bytes.set(this.#head);
    bytes.set(piece, this.#head.length);
    const [framing, at] = placeIn(latin1.decode(bytes), this.#framing, this.#isLineStart);
    if (framing === undefined) {
      this.#head = bytes.slice(-headBytesMax);
      this.#isLineStart &&= this.#head.length === bytes.length;
      this.noiseBytes += bytes.length - this.#head.length;
      return undefined;
    }
    this.noiseBytes += at;
    this.#head = new Uint8Array();
    this.#framing = framing;
    this.#begin(framing);
    return bytes.subarray(at);
  }
}

/** Where a message can begin in text, and in which framing. Four bytes of length look like any others. */
function placeIn(
  text: string,
  framing: CaptureFraming,
  isLineStart: boolean,
): [framing: keyof typeof framings | undefined, at: number] {
  const header = framing === 'line' ? -1 : text.search(/content-length:/i);
  const line = lineIn(text, framing, isLineStart);
  if (framing === 'length4' || (header < 0 && line < 0)) return [undefined, 0];
  return line >= 0 && (header < 0 || line < header) ? ['line', line] : ['header', header];
}

/** Where a line begins; to be guessed, it has to begin with a brace. -1: nowhere. */
function lineIn(text: string, framing: CaptureFraming, isLineStart: boolean): number {
  if (framing === 'line') return text.indexOf('\n') + 1 || -1;
  if (framing !== 'guess') return -1;
  return isLineStart && text.startsWith('{') ? 0 : text.indexOf('\n{') + 1 || -1;
}

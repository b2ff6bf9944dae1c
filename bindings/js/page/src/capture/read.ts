// A capture file: every message in it, in the order in which they were complete.

import type { Engine } from '../../../src/engine.js';
import type { Passing } from '../traffic/message.js';
import { isLines, lines, type Line } from './lines.js';
import { CaptureError, isBinary, Op, records, type CaptureRecord } from './records.js';
import { Stream, type CaptureFraming } from './stream.js';

/** The largest file that is opened. Unit: bytes. */
export const captureBytesMax = 256 << 20;

const breathMs = 40; // how long the page may be busy at a time

/** Who is told what a capture holds. */
export interface CaptureListener {
  message(passing: Passing, atMs: number): void;
  /** A session begins; none of the requests before has an answer behind it. */
  session(): void;
}

/** What a capture says about itself. */
export interface CaptureSummary {
  /** RFC 3339, and the command of the server, of the last session; '' where it does not say. */
  started: string;
  command: string;
  endMs: number;
  /** What keeps the capture from being whole, a line each. */
  flaws: string[];
}

/** Reads a file. One that is no capture is a CaptureError; one that breaks off is read up to there. */
export async function readCapture(file: Uint8Array, engine: Engine, listener: CaptureListener): Promise<CaptureSummary> {
  if (!isBinary(file) && !isLines(file)) {
    throw new CaptureError('it is neither a binary capture nor JSON lines; parley convert makes one of text and traces');
  }
  const reading = new Reading(engine, listener);
  const flaws: string[] = [];
  try {
    if (isBinary(file)) await inTurns(records(file), (record) => reading.record(record));
    else await inTurns(lines(file), (line) => reading.line(line));
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    flaws.push(error.message);
  } finally {
    reading.endStreams();
  }
  return reading.summary(flaws);
}

class Reading {
  #streams: { sent: Stream; received: Stream } | undefined;
  #atMs = 0;
  #endMs = 0;
  #lostBytes = 0;
  #noiseBytes = 0;
  #about = new Map<string, string>(); // the settings of the session
  #command: string[] = [];

  constructor(
    private readonly engine: Engine,
    private readonly listener: CaptureListener,
  ) {}

  record(record: CaptureRecord): void {
    if (record.op === Op.Capture) this.#begin(record.settings);
    this.#now(record.time / 1e6);
    const { sent, received } = (this.#streams ??= this.#open('guess'));
    switch (record.op) {
      case Op.Client:
        return sent.feed(record.text);
      case Op.Server:
        return received.feed(record.text);
      case Op.ClientEOF:
        return sent.end();
      case Op.ServerEOF:
        return received.end();
      case Op.ClientGap:
      case Op.ServerGap:
        (record.op === Op.ClientGap ? sent : received).skip();
        this.#lostBytes += record.count;
    }
  }

  line({ from, ms, passing, lostBytes, noiseBytes, started, command }: Line): void {
    this.#now(ms);
    if (from === 'capture') {
      this.listener.session();
      this.#about = new Map([['started', started ?? '']]);
      this.#command = [command ?? ''];
    }
    this.#lostBytes += lostBytes ?? 0;
    this.#noiseBytes += noiseBytes ?? 0;
    if (passing !== undefined) this.listener.message(passing, ms);
  }

  endStreams(): void {
    for (const stream of [this.#streams?.sent, this.#streams?.received]) {
      stream?.end();
      this.#noiseBytes += stream?.noiseBytes ?? 0;
    }
    this.#streams = undefined;
  }

  summary(flaws: string[]): CaptureSummary {
    if (this.#lostBytes > 0) flaws.push(`${this.#lostBytes} bytes passed and were not recorded`);
    if (this.#noiseBytes > 0) flaws.push(`${this.#noiseBytes} bytes are in no message`);
    return { started: this.#about.get('started') ?? '', command: this.#command.join(' '), endMs: this.#endMs, flaws };
  }

  #now(ms: number): void {
    this.#atMs = ms;
    this.#endMs = Math.max(this.#endMs, ms);
  }

  /** Begins a session, or the next part of the one before. */
  #begin(settings: CaptureRecord['settings']): void {
    const before = this.#about;
    this.#about = new Map(settings);
    this.#command = settings.filter(([name]) => name === 'command').map(([, value]) => value);
    const part = Number(this.#about.get('part') ?? 1);
    const isNext = this.#about.get('session') === before.get('session') && part === Number(before.get('part') ?? 1) + 1;
    if (isNext && this.#streams !== undefined) return;
    this.endStreams();
    this.listener.session();
    this.#streams = this.#open(framingOf(this.#about.get('framing')));
    if (part === 1) return;
    this.#streams.sent.skip(); // the parts before it are missing
    this.#streams.received.skip();
  }

  #open(framing: CaptureFraming): { sent: Stream; received: Stream } {
    const found = (passing: Passing): void => this.listener.message(passing, this.#atMs);
    return {
      sent: new Stream(this.engine, 'sent', framing, found),
      received: new Stream(this.engine, 'received', framing, found),
    };
  }
}

function framingOf(name: string | undefined): CaptureFraming {
  return name === 'header' || name === 'line' || name === 'length4' ? name : 'guess';
}

/** Handles one after the other, and lets the page live meanwhile. */
async function inTurns<T>(all: Iterable<T>, handle: (one: T) => void): Promise<void> {
  let begun = performance.now();
  for (const one of all) {
    handle(one);
    if (performance.now() - begun < breathMs) continue;
    await new Promise((resolve) => setTimeout(resolve));
    begun = performance.now();
  }
}

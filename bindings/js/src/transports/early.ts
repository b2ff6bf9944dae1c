// What arrives before a session starts.

import type { Sink } from '../transport.js';

/** Keeps what it is told until it has a sink, for transports that deliver whether anybody listens or not. */
export class EarlySink implements Sink {
  #sink: Sink | undefined;
  #kept: ((sink: Sink) => void)[] = [];

  chunk(bytes: Uint8Array): void {
    this.#tell((sink) => sink.chunk(bytes));
  }

  end(error?: unknown): void {
    this.#tell((sink) => sink.end(error));
  }

  /** Claims the transport for one session, ever (API-1). */
  attach(sink: Sink): void {
    if (this.#sink !== undefined) throw new Error('parley: the transport has a session already');
    this.#sink = sink;
    for (const tell of this.#kept.splice(0)) tell(sink);
  }

  #tell(tell: (sink: Sink) => void): void {
    if (this.#sink === undefined) this.#kept.push(tell);
    else tell(this.#sink);
  }
}

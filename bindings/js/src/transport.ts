// What a peer needs of a transport.

/** Where a transport delivers what it reads. Neither function throws. */
export interface Sink {
  /** A piece of the stream, or one whole message (FRAME-9). The bytes are not kept. */
  chunk(bytes: Uint8Array): void;
  /** No more will come; error says why, where it was no clean end. */
  end(error?: unknown): void;
}

/** One duplex connection. A peer claims it when it connects; nobody else may use it then (API-1). */
export interface Transport {
  /** Each chunk, in both directions, is one JSON text (framing whole, FRAME-9). */
  readonly isWhole: boolean;
  /** Begins to deliver. It throws where the transport is claimed already or closed. */
  start(sink: Sink): void;
  /** Sends bytes, which the transport may keep. A promise asks for patience until it settles, anything else has taken them; a throw is the end of sending. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void> | void;
  /** Stops and resumes delivering; absent where the transport cannot (BACK-2 bounds what arrives then). */
  pause?(): void;
  resume?(): void;
  /** Ends our direction and leaves the other open; absent where there is no half-close (STOP-5). */
  closeWrite?(): void;
  /** Ends both directions. It is repeatable, and resolves when everything behind the transport is gone. */
  close(): Promise<void>;
  /** What is known about an end: how a process left, and the tail of its stderr (STOP-4). */
  explain?(): Promise<string>;
}

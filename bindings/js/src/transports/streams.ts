// Transport over a pair of Web Streams of bytes.

import type { Sink, Transport } from '../transport.js';

/** Both directions of a byte stream, for example of Deno's and Bun's processes or a WebTransport stream. */
export interface StreamPair {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
}

/** The transport locks both streams when a session starts. Back-pressure works in both directions. */
export function streamTransport({ readable, writable }: StreamPair): Transport {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  let resume: (() => void) | undefined;
  let unpaused: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let isWriting = false;

  const read = async (from: ReadableStreamDefaultReader<Uint8Array>, sink: Sink): Promise<void> => {
    try {
      for (;;) {
        await unpaused;
        const { done, value } = await from.read();
        if (done) return sink.end();
        sink.chunk(value);
      }
    } catch (error) {
      sink.end(error);
    }
  };
  // Its outcome is that of the last write, or of close, which wait for it.
  const closeWrite = (): void => void (closing ??= writer?.close().catch(() => undefined));
  return {
    isWhole: false,
    start: (sink) => {
      if (readable.locked || writable.locked) throw new Error('parley: the streams have a session already');
      reader = readable.getReader();
      writer = writable.getWriter();
      writer.closed.catch(() => undefined); // the next write says so
      void read(reader, sink);
    },
    write: async (bytes) => {
      isWriting = true;
      await writer?.write(bytes);
      isWriting = false;
    },
    pause: () => {
      unpaused = new Promise((resolve) => (resume = resolve));
    },
    resume: () => {
      unpaused = undefined;
      resume?.();
    },
    closeWrite,
    close: async () => {
      resume?.();
      if (isWriting) {
        writer?.abort().catch(() => undefined); // it settles with the write, perhaps never
      } else {
        closeWrite();
        await closing;
      }
      await reader?.cancel().catch(() => undefined); // of a stream that has failed
    },
  };
}

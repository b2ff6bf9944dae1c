// Transport over a MessagePort, or anything that posts like one: a Worker, a worker's own scope.

import type { Transport } from '../transport.js';
import { EarlySink } from './early.js';

/** What a port needs to have. */
export interface PortLike {
  postMessage(message: unknown): void;
  // biome-ignore lint/suspicious/noExplicitAny: Node's ports, workers and browsers have three types for it
  addEventListener(type: 'message', listener: (event: any) => void): void;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  removeEventListener(type: 'message', listener: (event: any) => void): void;
  /** Of a MessagePort. */
  start?(): void;
  close?(): void;
  /** Of a Worker. */
  terminate?(): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Each message is one JSON text as a string (FRAME-9); bytes are understood too. A port has no end of
 * its own: null, in either direction, is the end of what that side sends. Ports cannot be paused:
 * BACK-2 bounds what arrives. Closing a Worker's transport terminates the worker.
 *
 * In a worker, make the transport of its scope before the first await: a scope delivers from then on,
 * whether anybody listens or not, and what arrives before the session starts is kept.
 */
export function portTransport(port: PortLike): Transport {
  const sink = new EarlySink();
  let isWriteClosed = false;
  const receive = ({ data }: { data: unknown }): void => {
    if (data === null) return sink.end();
    const bytes = bytesOf(data);
    if (bytes !== undefined) sink.chunk(bytes);
    else sink.end(new TypeError(`the port delivered a value of type ${typeof data}, want JSON text`));
  };
  port.addEventListener('message', receive);
  const closeWrite = (): void => {
    if (isWriteClosed) return;
    isWriteClosed = true;
    port.postMessage(null);
  };
  return {
    isWhole: true,
    start: (to) => {
      sink.attach(to);
      port.start?.();
    },
    write: (bytes) => port.postMessage(decoder.decode(bytes)),
    closeWrite,
    close: async () => {
      closeWrite();
      port.removeEventListener('message', receive);
      if (port.terminate !== undefined) port.terminate();
      else port.close?.();
    },
  };
}

/** Text and bytes of one message; undefined for anything else. */
export function bytesOf(data: unknown): Uint8Array | undefined {
  if (typeof data === 'string') return encoder.encode(data);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return undefined;
}

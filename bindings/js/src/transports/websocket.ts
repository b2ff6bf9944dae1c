// Transport over a WebSocket: one JSON text a message (FRAME-9).

import type { Transport } from '../transport.js';
import { EarlySink } from './early.js';
import { bytesOf } from './port.js';

/** What of WebSocket is used, so that implementations for Node do as well. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: any) => void): void;
}

export interface WebSocketOptions {
  /** Sends bytes instead of text. Both are understood. */
  binary?: boolean;
}

const closed = 3; // WebSocket.CLOSED
const open = 1; // WebSocket.OPEN
const bufferedBytesMax = 1 << 20; // more than this unsent makes the writer wait
const bufferedPollMs = 10; // no event tells that the buffer has emptied
const cleanCodes = [1000, 1001, 1005];

/**
 * The socket may still be connecting. It cannot be paused: BACK-2 bounds what arrives. An end with
 * another code than 1000, 1001 or none is an error, which names code and reason.
 */
export function webSocketTransport(socket: WebSocketLike, { binary = false }: WebSocketOptions = {}): Transport {
  socket.binaryType = 'arraybuffer'; // a Blob would be read later, and messages overtake each other
  const decoder = new TextDecoder();
  const sink = new EarlySink();
  let changed = (): void => undefined; // wakes whoever waits for the socket's state
  const gone = new Promise<void>((resolve) => {
    if (socket.readyState === closed) resolve();
    socket.addEventListener('close', (event: CloseEvent) => {
      resolve();
      changed();
      const isClean = event.wasClean && cleanCodes.includes(event.code);
      sink.end(isClean ? undefined : new Error(`the WebSocket closed with code ${event.code}${event.reason === '' ? '' : `: ${event.reason}`}`));
    });
  });
  socket.addEventListener('open', () => changed());
  socket.addEventListener('message', ({ data }: MessageEvent) => {
    const bytes = bytesOf(data);
    if (bytes !== undefined) sink.chunk(bytes);
    else sink.end(new TypeError('the WebSocket delivered neither text nor an ArrayBuffer'));
  });

  const send = async (data: string | Uint8Array<ArrayBuffer>): Promise<void> => {
    const connecting = 0;
    while (socket.readyState === connecting) await new Promise<void>((resolve) => (changed = resolve));
    // On a socket that is closing, send loses its message without a word.
    if (socket.readyState !== open) throw new Error('the WebSocket is closed');
    socket.send(data);
    while (socket.bufferedAmount > bufferedBytesMax && socket.readyState === open) {
      await new Promise<void>((resolve) => setTimeout(resolve, bufferedPollMs));
    }
  };
  return {
    isWhole: true,
    start: (to) => {
      if (socket.readyState === closed) throw new Error('parley: the socket is closed');
      sink.attach(to);
    },
    write: (bytes) => send(binary ? bytes : decoder.decode(bytes)),
    close: async () => {
      socket.close(1000);
      await gone;
    },
  };
}

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
  /** Of implementations that can do without the closing handshake. */
  terminate?(): void;
  // biome-ignore lint/suspicious/noExplicitAny: implementations for Node have events of their own
  addEventListener(type: string, listener: (event: any) => void): void;
}

/** How a WebSocket is used. */
export interface WebSocketOptions {
  /** Sends bytes instead of text. Both are understood. */
  binary?: boolean;
  /** How long the peer may take for the closing handshake; then nobody waits for it. Default 2000. */
  closeMs?: number;
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
export function webSocketTransport(socket: WebSocketLike, { binary = false, closeMs = 2000 }: WebSocketOptions = {}): Transport {
  socket.binaryType = 'arraybuffer'; // a Blob would be read later, and messages overtake each other
  const decoder = new TextDecoder();
  const sink = new EarlySink();
  let changed = (): void => undefined; // wakes whoever waits for the socket's state
  let failure = ''; // what an implementation for Node says; browsers tell no page
  const gone = new Promise<void>((resolve) => {
    if (socket.readyState === closed) resolve();
    socket.addEventListener('close', (event: CloseEvent) => {
      resolve();
      changed();
      const isClean = event.wasClean && cleanCodes.includes(event.code);
      sink.end(isClean ? undefined : closeError(event, failure));
    });
  });
  // Without a listener, an error ends a process of Node's.
  socket.addEventListener('error', ({ message }: Partial<ErrorEvent>) => (failure = message ?? ''));
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
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timeUp = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMs)));
      await Promise.race([gone, timeUp]);
      clearTimeout(timer);
      socket.terminate?.();
    },
  };
}

function closeError({ code, reason }: CloseEvent, failure: string): Error {
  const why = [reason, failure].filter((text) => text !== '').join('; ');
  return new Error(`the WebSocket closed with code ${code}${why === '' ? '' : `: ${why}`}`);
}

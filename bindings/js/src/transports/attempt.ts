// One attempt to connect, which is one socket, under a session that survives it.

import type { Clock } from '../clock.js';
import { resumeSubprotocol } from '../resume.js';
import { bytesOf } from './port.js';
import type { WebSocketLike } from './websocket.js';

/** Makes a socket that offers subprotocols. */
export type Dial = (url: string, protocols: string[]) => WebSocketLike & { readonly protocol: string };

/** What an attempt tells the session, until it has been left. */
export interface AttemptEvents {
  /** The server took the socket, as one that resumes or as a plain one. */
  opened(isResumable: boolean): void;
  text(bytes: Uint8Array): void;
  /** The socket is lost, or was never had. */
  lost(error: SocketError): void;
  /** The session cannot go on: something threw. */
  failed(error: unknown): void;
}

/** A socket that was closed or could not be had. */
export class SocketError extends Error {
  override readonly name = 'SocketError';

  constructor(
    message: string,
    /** The close code; 0: there was none. */
    readonly code: number,
    /** The close reason; escape it before showing it as anything but text. */
    readonly reason = '',
    options?: ErrorOptions,
  ) {
    super(`parley: ${message}`, options);
  }
}

const openState = 1; // WebSocket.OPEN
const closedState = 3; // WebSocket.CLOSED
const closeTimeoutMs = 2_000;

export class Attempt {
  #socket: ReturnType<Dial> | undefined;
  #isLeft = false;
  #cancelTimeout: (() => void) | undefined;

  constructor(
    readonly generation: number,
    private readonly events: AttemptEvents,
    private readonly clock: Clock,
  ) {}

  /** Asks for the address, which may fail and be had the next time, and connects: where no socket can be made, none ever can. */
  async connect<A>(ask: () => A | Promise<A>, dial: (address: A) => ReturnType<Dial>, timeoutMs: number): Promise<void> {
    this.#cancelTimeout = this.clock.after(timeoutMs, () => this.#lose(`no session after ${timeoutMs} ms`));
    let address: A;
    try {
      address = await ask();
    } catch (cause) {
      return this.#lose('no address', cause);
    }
    this.#tell(() => this.#listen(dial(address)));
  }

  /** The session is live on it. */
  live(): void {
    this.#cancelTimeout?.();
  }

  /** Bytes that the socket has not sent yet; undefined: it takes none, and will say that it is closed. */
  get bufferedAmount(): number | undefined {
    return this.#socket?.readyState === openState ? this.#socket.bufferedAmount : undefined;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#socket!.send(data);
  }

  /** Ends it, and its events; resolves when the socket is gone. */
  leave(code: number, reason: string): Promise<void> {
    this.#isLeft = true;
    this.#cancelTimeout?.();
    if (this.#socket === undefined || this.#socket.readyState === closedState) return Promise.resolve();
    this.#socket.close(code, reason);
    return new Promise((resolve) => {
      const cancel = this.clock.after(closeTimeoutMs, resolve); // a dead peer answers no close
      this.#socket!.addEventListener('close', () => {
        cancel();
        resolve();
      });
    });
  }

  #listen(socket: ReturnType<Dial>): void {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer'; // a Blob would be read later, and messages overtake each other
    // biome-ignore lint/suspicious/noExplicitAny: sockets of Node and browsers have events of their own
    const on = (type: string, tell: (event: any) => void): void => {
      socket.addEventListener(type, (event) => this.#tell(() => tell(event)));
    };
    on('open', () => this.events.opened(socket.protocol === resumeSubprotocol));
    on('message', ({ data }: MessageEvent) => {
      const bytes = bytesOf(data);
      if (bytes === undefined) throw new TypeError('parley: the WebSocket delivered neither text nor an ArrayBuffer');
      this.events.text(bytes);
    });
    socket.addEventListener('error', () => undefined); // close follows, and says more
    on('close', ({ code, reason }: CloseEvent) => {
      const text = `the WebSocket closed with code ${code}${reason === '' ? '' : `: ${reason}`}`;
      this.#end(new SocketError(text, code, reason));
    });
  }

  #lose(text: string, cause?: unknown): void {
    this.#tell(() => this.#end(new SocketError(text, 0, '', { cause })));
  }

  #end(error: SocketError): void {
    this.#cancelTimeout?.();
    this.events.lost(error);
  }

  /** Nothing is told of an attempt that has been left; what a listener throws ends the session. */
  #tell(tell: () => void): void {
    if (this.#isLeft) return;
    try {
      tell();
    } catch (error) {
      this.events.failed(error);
    }
  }
}

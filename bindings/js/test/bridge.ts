// A bridge and its sockets that tests hold in their hands: the far side of a resuming socket.

import { closeLost, closeSuperseded } from '../src/resume.js';
import { resumeSubprotocol, type Dial, type Engine, type Resume } from '../src/node.js';

// biome-ignore lint/suspicious/noExplicitAny: sockets of Node and browsers have events of their own
type Listener = (event: any) => void;

/** One socket as the page sees it. The test says when it opens, what it delivers, and how it ends. */
export class FakeSocket {
  binaryType = 'blob';
  protocol = '';
  readyState = 0;
  bufferedAmount = 0;
  closedWith: { code: number | undefined; reason: string | undefined } | undefined;
  readonly written: string[] = [];
  onWrite: (text: string) => void = () => undefined;
  readonly #listeners: [string, Listener][] = [];

  constructor(
    readonly url: string,
    readonly offered: readonly string[],
  ) {}

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.push([type, listener]);
  }

  send(data: string | Uint8Array): void {
    if (this.readyState !== 1) return; // as browsers do: without a word
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    this.written.push(text);
    this.onWrite(text);
  }

  close(code?: number, reason?: string): void {
    this.closedWith ??= { code, reason };
    if (this.readyState < 2) this.readyState = 2;
  }

  open(protocol = resumeSubprotocol): void {
    this.protocol = protocol;
    this.readyState = 1;
    this.#fire('open', {});
  }

  say(data: unknown): void {
    this.#fire('message', { data });
  }

  /** It is gone; what was on its way is lost. */
  end(code = 1006, reason = ''): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#fire('close', { code, reason, wasClean: code !== 1006 });
  }

  // biome-ignore lint/suspicious/noExplicitAny: sockets of Node and browsers have events of their own
  #fire(type: string, event: any): void {
    for (const [of, listener] of this.#listeners) if (of === type) listener(event);
  }
}

/** The sockets that were dialled, in order. */
export class Sockets {
  readonly all: FakeSocket[] = [];
  onDial: (socket: FakeSocket) => void = () => undefined;

  readonly dial: Dial = (url, protocols) => {
    const socket = new FakeSocket(url, protocols);
    this.all.push(socket);
    this.onDial(socket);
    return socket;
  };

  get last(): FakeSocket {
    return this.all.at(-1)!;
  }
}

/** The bridge's side of one session: what it says is numbered, and what it hears is kept. */
export class FakeBridge {
  readonly link: Resume;
  readonly heard: string[] = [];
  onText: (text: string) => void = () => undefined;
  #socket: FakeSocket | undefined;
  #generation = 0;

  constructor(
    engine: Engine,
    private readonly clock: { now(): number },
  ) {
    this.link = engine.resume({ session: 's' });
  }

  /** Takes a socket as a bridge does: greeting, then what the page lacks. */
  accept(socket: FakeSocket): void {
    const { searchParams } = new URL(socket.url);
    this.#socket?.end(closeSuperseded.code, closeSuperseded.reason);
    socket.open();
    if (searchParams.get('token') !== 't' || (searchParams.has('session') && searchParams.get('session') !== 's')) {
      return socket.end(closeLost.code, closeLost.reason);
    }
    const generation = this.link.attach(this.clock.now());
    this.link.resume(generation, Number(searchParams.get('received') ?? 0), this.clock.now());
    this.#socket = socket;
    this.#generation = generation;
    socket.onWrite = (text) => {
      if (!this.link.receive(generation)) return;
      this.heard.push(text);
      this.onText(text);
    };
    socket.say(this.link.greeting());
    this.#flush();
  }

  say(text: string): void {
    this.link.send(text, this.clock.now());
    this.#flush();
  }

  /** The socket is lost for both sides. */
  lose(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (this.#generation > 0) this.link.detach(this.#generation, this.clock.now());
    socket?.end();
  }

  #flush(): void {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== 1) return;
    for (let text; (text = this.link.next(this.#generation)) !== undefined; ) socket.say(new TextDecoder().decode(text));
  }
}

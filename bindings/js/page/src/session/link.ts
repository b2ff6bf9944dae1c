// The session with the server that is chosen: begun, watched, and begun anew when the person says so.

import { SocketError, type Engine, type ResumingState, type Stats } from '../../../src/browser.js';
import type { Bridge } from '../access.js';
import type { Config, Server } from '../config.js';
import { byId, element } from '../dom.js';
import type { Documents } from '../editor/documents.js';
import { complain, lineOf } from '../frame/notices.js';
import { insist } from './insist.js';
import type { Action, Pill } from './pill.js';
import { Session, type SessionListener } from './session.js';

export interface LinkListener extends SessionListener {
  /** Another session takes the place of the one before. */
  beginning(): void;
  /** The bridge has named the session. */
  began(id: string): void;
}

const refusedCode = 4007; // BRIDGE-9

export class Link {
  readonly #servers: Server[];
  #server: Server | undefined;
  #session: Session | undefined;
  #beginning = new AbortController(); // of the newest session; one that is still on its way gives up
  #wasOpen = false;

  /** engine: gives one that lives, a new one after a trap. */
  constructor(
    private readonly pill: Pill,
    private readonly engine: () => Promise<Engine>,
    private readonly bridge: Bridge,
    private readonly config: Config,
    private readonly documents: Documents,
    private readonly listener: LinkListener,
  ) {
    this.#servers = config.servers.filter(({ profile }) => profile === 'lsp');
    this.#offerServers();
    this.#choose(this.#servers[0]);
  }

  get stats(): Stats | undefined {
    return this.#session?.stats;
  }

  /** The page is left: the bridge need not keep the session for its return. */
  leave(): void {
    void this.#session?.socket.close();
  }

  #choose(server: Server | undefined): void {
    this.#server = server;
    if (server !== undefined) void this.#begin(server);
    else this.pill.show('closed', 'No language server behind this bridge', 'Connect a client of your own to /ws/NAME');
  }

  async #begin(server: Server): Promise<void> {
    this.#beginning.abort();
    const { signal } = (this.#beginning = new AbortController());
    const before = this.#session;
    this.#session = undefined;
    this.#wasOpen = false;
    this.listener.beginning();
    this.pill.show('connecting', `${server.title}: connecting`, 'The bridge starts the server');
    try {
      await before?.end();
      const engine = await insist(this.pill, 'protocol module', this.engine, signal);
      if (!signal.aborted) this.#open(engine, server);
    } catch (error) {
      if (!signal.aborted) this.pill.show('closed', lineOf(error), lineOf(error), this.#begins('Try again'));
    }
  }

  #open(engine: Engine, server: Server): void {
    const { listener } = this;
    const isCurrent = (): boolean => session === this.#session;
    const session = new Session(engine, this.bridge, server, this.config.root, this.documents, {
      message: (passing) => listener.message(passing),
      problems: (published) => listener.problems(published),
      ended: () => isCurrent() && listener.ended(),
    });
    this.#session = session;
    session.socket.watch((state) => isCurrent() && this.#show(state, server));
    const isReady = (): void => {
      if (isCurrent()) this.#show(session.socket.state, server);
    };
    session.ready.then(isReady, (error: unknown) => {
      const isTold = session.socket.state.phase === 'closed'; // by the pill
      if (isCurrent() && !isTold) complain(`${server.title} did not start a session: ${lineOf(error)}`);
    });
  }

  #show(state: ResumingState, server: Server): void {
    const name = server.title;
    const trying = `${name}: ${this.#wasOpen ? 'connection lost' : 'no connection'}, trying again`;
    const retry: Action = { label: 'Retry now', run: () => this.#session?.socket.retryNow() };
    switch (state.phase) {
      case 'connecting':
        if (this.#wasOpen || state.attempt > 1) this.pill.show('waiting', trying, `Attempt ${state.attempt}`, retry);
        return;
      case 'waiting':
        return this.pill.show('waiting', trying, lineOf(state.error), retry);
      case 'open':
        this.#wasOpen = true;
        this.listener.began(state.session);
        return this.#showOpen(name, server);
      case 'closed':
        return this.#showClosed(name, state.error);
    }
  }

  #showOpen(name: string, { command }: Server): void {
    const restart = this.#begins('Restart');
    if (this.#session?.isReady) this.pill.show('open', name, `Connected: ${command.join(' ')}`, restart);
    else this.pill.show('connecting', `${name}: starting`, 'It has not answered initialize yet', restart);
  }

  #showClosed(name: string, error: unknown): void {
    const why = endOf(error);
    if (error instanceof SocketError && error.code === refusedCode) {
      const line = `${why}. Open the address that parley serve prints.`;
      this.pill.show('closed', line, line);
      complain(line); // the bar may have no room for all of it
    } else {
      this.pill.show('closed', `${name}: ${why}`, why, this.#begins('Restart server'));
    }
  }

  /** Begins another session with the server that is chosen. */
  #begins(label: string): Action {
    return { label, run: () => this.#choose(this.#server) };
  }

  #offerServers(): void {
    const select = byId('servers').querySelector('select')!;
    select.append(...this.#servers.map((server) => element('option', { value: server.name }, server.title)));
    byId('servers').hidden = this.#servers.length < 2;
    select.addEventListener('change', () => this.#choose(this.#servers.find(({ name }) => name === select.value)));
  }
}

/** Why a session ended; the bridge says in its close frame what became of the server. */
function endOf(error: unknown): string {
  if (error === undefined) return 'the session is over';
  if (error instanceof SocketError && error.reason !== '') return error.reason;
  return lineOf(error);
}

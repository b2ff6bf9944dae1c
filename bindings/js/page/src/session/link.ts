// The session with the server that is chosen: begun, watched, and begun anew when the person says so.

import { SocketError, type Engine, type ResumingState, type Stats } from '../../../src/browser.js';
import type { Bridge } from '../access.js';
import { titleOf, type Config, type Server } from '../config.js';
import { byId, element } from '../dom.js';
import type { Documents } from '../editor/documents.js';
import { complain, lineOf } from '../frame/notices.js';
import { Pill } from './pill.js';
import { Session, type SessionListener } from './session.js';

export interface LinkListener extends SessionListener {
  /** Another session takes the place of the one before. */
  beginning(): void;
  /** The bridge has named the session. */
  began(id: string): void;
}

export class Link {
  readonly #pill = new Pill(() => this.#act());
  readonly #servers: Server[];
  #server: Server | undefined;
  #session: Session | undefined;
  #begun = 0; // sessions; a later one overtakes those that are still on their way
  #wasOpen = false;

  /** engine: gives one that lives, a new one after a trap. */
  constructor(
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
    else this.#pill.show('closed', 'No language server behind this bridge', 'Connect a client of your own to /ws/NAME');
  }

  async #begin(server: Server): Promise<void> {
    const mine = ++this.#begun;
    const before = this.#session;
    this.#session = undefined;
    this.#wasOpen = false;
    this.listener.beginning();
    this.#pill.show('connecting', `${titleOf(server)}: connecting`, 'The bridge starts the server');
    try {
      await before?.end();
      const engine = await this.engine();
      if (mine === this.#begun) this.#open(engine, server);
    } catch (error) {
      if (mine === this.#begun) this.#pill.show('closed', lineOf(error), lineOf(error), 'Try again');
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
      if (isCurrent() && !isTold) complain(`${titleOf(server)} did not start a session: ${lineOf(error)}`);
    });
  }

  #show(state: ResumingState, server: Server): void {
    const name = titleOf(server);
    const trying = `${name}: ${this.#wasOpen ? 'connection lost' : 'no connection'}, trying again`;
    switch (state.phase) {
      case 'connecting':
        if (this.#wasOpen || state.attempt > 1) this.#pill.show('waiting', trying, `Attempt ${state.attempt}`, 'Retry now');
        return;
      case 'waiting':
        return this.#pill.show('waiting', trying, lineOf(state.error), 'Retry now');
      case 'open':
        this.#wasOpen = true;
        this.listener.began(state.session);
        return this.#showOpen(name, server);
      case 'closed': {
        const why = endOf(state.error);
        return this.#pill.show('closed', `${name}: ${why}`, why, 'Restart server');
      }
    }
  }

  #showOpen(name: string, { command }: Server): void {
    if (this.#session?.isReady) this.#pill.show('open', name, `Connected: ${command.join(' ')}`, 'Restart');
    else this.#pill.show('connecting', `${name}: starting`, 'It has not answered initialize yet', 'Restart');
  }

  #act(): void {
    if (this.#session?.socket.state.phase === 'waiting') this.#session.socket.retryNow();
    else if (this.#session?.socket.state.phase !== 'connecting') this.#choose(this.#server);
  }

  #offerServers(): void {
    const select = byId('servers').querySelector('select')!;
    select.append(...this.#servers.map((server) => element('option', { value: server.name }, titleOf(server))));
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

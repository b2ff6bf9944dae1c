// The session in the bar: how it stands, and what can be done about it.

import { SocketError, type Engine, type ResumingState, type Stats } from '../../../src/browser.js';
import type { Bridge } from '../access.js';
import { titleOf, type Config, type Server } from '../config.js';
import { byId, element } from '../dom.js';
import type { Documents } from '../editor/documents.js';
import { complain, lineOf } from '../frame/notices.js';
import { Session, type SessionListener } from './session.js';

export interface LinkListener extends SessionListener {
  /** The bridge has named the session. */
  began(id: string): void;
  /** Another session takes the place of the one that ended. */
  restarting(): void;
}

/** Keeps one session with the server that is chosen; one that has ended begins anew when the person says so. */
export class Link {
  readonly #pill = element('div', { class: 'state' });
  readonly #button = element('button', { class: 'primary', click: () => this.#act() });
  readonly #servers: Server[];
  #server: Server | undefined;
  #session: Session | undefined;
  #hasBegun = false; // its first attempt is over

  constructor(
    private readonly engine: Engine,
    private readonly bridge: Bridge,
    private readonly config: Config,
    private readonly documents: Documents,
    private readonly listener: LinkListener,
  ) {
    this.#servers = config.servers.filter(({ profile }) => profile === 'lsp');
    this.#server = this.#servers[0];
    byId('link').append(this.#pill, this.#button);
    this.#offerServers();
    if (this.#server === undefined)
      this.#show('closed', 'No language server', 'The page edits with language servers; this bridge has others.');
    else this.#begin();
  }

  get stats(): Stats | undefined {
    return this.#session?.stats;
  }

  #begin(): void {
    const { listener, documents } = this;
    this.#hasBegun = false;
    const session = new Session(this.engine, this.bridge, this.#server!, this.config.root, documents, {
      message: (passing) => listener.message(passing),
      problems: (published) => listener.problems(published),
      ended: () => {
        if (session === this.#session) listener.ended();
      },
    });
    this.#session = session;
    session.socket.watch((state) => {
      if (session === this.#session) this.#showState(state);
    });
    session.client.initializing.catch((error: unknown) => {
      if (session === this.#session) complain(`${titleOf(this.#server!)} did not start a session: ${lineOf(error)}`);
    });
  }

  async #restart(): Promise<void> {
    const ended = this.#session;
    this.#session = undefined;
    this.listener.restarting();
    await ended?.end();
    this.#begin();
  }

  #showState(state: ResumingState): void {
    const server = this.#server!;
    const name = titleOf(server);
    const lost = `${name}: connection lost, trying again`;
    switch (state.phase) {
      case 'connecting':
        if (this.#hasBegun) return this.#show('waiting', lost, `Attempt ${state.attempt}`, 'Retry now');
        return this.#show('connecting', `${name}: connecting`, 'The bridge starts the server');
      case 'open':
        this.#hasBegun = true;
        this.listener.began(state.session);
        return this.#show('open', name, `Connected: ${server.command.join(' ')}`);
      case 'waiting':
        this.#hasBegun = true;
        return this.#show('waiting', lost, lineOf(state.error), 'Retry now');
      case 'closed': {
        const why = endOf(state.error);
        return this.#show('closed', `${name}: ${why}`, why, 'Restart server');
      }
    }
  }

  #show(phase: ResumingState['phase'], text: string, title: string, action = ''): void {
    this.#pill.className = `state ${phase}`;
    this.#pill.title = title;
    this.#pill.replaceChildren(element('span', {}, text));
    this.#button.textContent = action;
    this.#button.hidden = action === '';
  }

  #act(): void {
    const socket = this.#session?.socket;
    if (socket?.state.phase === 'closed') void this.#restart();
    else socket?.retryNow();
  }

  #offerServers(): void {
    const select = byId('servers').querySelector('select')!;
    select.append(...this.#servers.map((server) => element('option', { value: server.name }, titleOf(server))));
    byId('servers').hidden = this.#servers.length < 2;
    select.addEventListener('change', () => {
      this.#server = this.#servers.find(({ name }) => name === select.value);
      void this.#restart();
    });
  }
}

/** Why a session ended; the bridge says in its close frame what became of the server. */
function endOf(error: unknown): string {
  if (error === undefined) return 'the session is over';
  if (error instanceof SocketError && error.reason !== '') return error.reason;
  return lineOf(error);
}

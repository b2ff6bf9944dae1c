// One session with one server: its socket, the machine that carries it, and the client on top.

import type { LSPClient } from '@codemirror/lsp-client';

import { CodeMirrorTransport, type Passing } from '../../../src/adapters/codemirror.js';
import { resumingSocket, type Engine, type ResumingSocket, type Stats } from '../../../src/browser.js';
import type { Bridge } from '../access.js';
import type { Config, Server } from '../config.js';
import type { Documents } from '../editor/documents.js';
import { applyEdit, type WorkspaceEdit } from '../editor/edits.js';
import type { OpenFiles } from '../editor/workspace.js';
import type { Published } from '../foot/problems.js';
import { lineOf } from '../frame/notices.js';
import { makeClient } from './client.js';

/** Who hears what a session brings. */
export interface SessionListener {
  message(passing: Passing): void;
  problems(published: Published): void;
  /** Nothing more will come. */
  ended(): void;
}

/** It begins at once; what the client sends before the socket is open waits. An ended one does not begin again. */
export class Session {
  readonly socket: ResumingSocket;
  readonly client: LSPClient;
  /** Resolves when the server has answered initialize, and the editors speak to it. */
  readonly ready: Promise<void>;
  isReady = false;
  readonly #transport: CodeMirrorTransport;

  constructor(
    private readonly engine: Engine,
    bridge: Bridge,
    server: Server,
    root: Config['root'],
    private readonly documents: Documents,
    listener: SessionListener,
  ) {
    this.socket = resumingSocket(engine, bridge.socketAddress(server.name));
    this.#transport = new CodeMirrorTransport(engine, this.socket, {
      onMessage: (passing) => listener.message(passing),
      answers: {
        'workspace/applyEdit': ({ edit }: { edit: WorkspaceEdit }) => this.#apply(edit),
        'workspace/workspaceFolders': () => (root === null ? null : [root]),
      },
    });
    this.client = makeClient(documents, root?.uri, (published) => listener.problems(published));
    this.client.connect(this.#transport);
    this.ready = this.client.initializing.then(() => this.#join());
    this.socket.watch(({ phase }) => phase === 'closed' && this.#leave());
    void this.#transport.closed.then(() => listener.ended());
  }

  /** Undefined where the machine itself has failed. */
  get stats(): Stats | undefined {
    return this.engine.trap !== undefined ? undefined : this.#transport.relay.stats;
  }

  /** Ends the session, and with it the server. */
  async end(): Promise<void> {
    this.#leave();
    await this.#transport.dispose();
  }

  #join(): void {
    this.isReady = true;
    if (this.#workspace.isLive) this.documents.client = this.client;
  }

  /** From now on the editors have nobody to speak to. */
  #leave(): void {
    if (!this.#workspace.isLive) return;
    this.#workspace.isLive = false;
    this.documents.client = undefined;
  }

  get #workspace(): OpenFiles {
    return this.client.workspace as OpenFiles;
  }

  async #apply(edit: WorkspaceEdit): Promise<{ applied: boolean; failureReason?: string }> {
    try {
      await applyEdit(this.documents, edit);
      return { applied: true };
    } catch (error) {
      return { applied: false, failureReason: lineOf(error) };
    }
  }
}

// The open documents: opened, shown, saved and closed in one place.

import type { LSPClient } from '@codemirror/lsp-client';

import { BridgeError } from '../access.js';
import { byId } from '../dom.js';
import { ConflictError, type TextStore } from '../files/store.js';
import { complain, lineOf } from '../frame/notices.js';
import { Observable } from '../observable.js';
import { Document } from './document.js';

export class Documents {
  /** The one in sight. */
  readonly active = new Observable<Document | undefined>(undefined);
  /** The text or the cursor of one has changed. */
  readonly edits = new Observable<Document | undefined>(undefined);
  /** Which there are has changed, or the standing of one. */
  readonly changes = new Observable<Document | undefined>(undefined);
  readonly #all: Document[] = [];
  readonly #opening = new Map<string, Promise<Document>>();
  #client: LSPClient | undefined;
  #turn: Promise<void> = Promise.resolve();
  #wanted = ''; // the path that was asked for last

  constructor(private readonly store: TextStore) {}

  get all(): Document[] {
    return this.#all;
  }

  withUri(uri: string): Document | undefined {
    const path = this.store.pathOf(uri);
    return this.#all.find((document) => document.path === path);
  }

  /** Lets the editors speak to a client; undefined: to nobody. */
  set client(client: LSPClient | undefined) {
    this.#client = client;
    for (const document of this.#all) this.#join(document);
  }

  /** Opens a file without showing it. It rejects where the file cannot be read. */
  open(path: string): Promise<Document> {
    const known = this.#all.find((document) => document.path === path);
    if (known !== undefined) return Promise.resolve(known);
    const opening = this.#opening.get(path) ?? this.#load(path).finally(() => this.#opening.delete(path));
    this.#opening.set(path, opening);
    return opening;
  }

  /** open by URI; undefined for one that is not in the folder. */
  async openUri(uri: string): Promise<Document | undefined> {
    const path = this.store.pathOf(uri);
    return path === undefined ? undefined : this.open(path);
  }

  /** Opens and shows the file of a URI; where that cannot be, says why. */
  async show(uri: string): Promise<Document | undefined> {
    const path = this.store.pathOf(uri);
    if (path !== undefined) return this.showPath(path);
    complain(`${uri} is outside of the folder that is served, so the page cannot show it.`);
    return undefined;
  }

  async showPath(path: string): Promise<Document | undefined> {
    this.#wanted = path;
    try {
      const document = await this.open(path);
      if (this.#wanted !== path) return document; // another was asked for while this one was read
      this.activate(document);
      document.view.focus();
      return document;
    } catch (error) {
      complain(`${path} was not opened: ${lineOf(error)}`);
      return undefined;
    }
  }

  activate(document: Document): void {
    for (const other of this.#all) other.view.dom.hidden = other !== document;
    this.active.set(document);
  }

  close(document: Document): void {
    const at = this.#all.indexOf(document);
    document.server = [];
    this.#all.splice(at, 1);
    document.view.destroy();
    this.changes.set(undefined);
    const next = this.#all[Math.min(at, this.#all.length - 1)];
    if (this.active.value !== document) return;
    if (next === undefined) this.active.set(undefined);
    else this.activate(next);
  }

  /** Saves over the state that was read; a change by somebody else stands until the person decides. */
  save(document: Document): Promise<void> {
    return this.#inTurn(document, async () => {
      const { path, uri, view } = document;
      const text = view.state.doc;
      try {
        document.saved(text, await this.store.write(path, document.text, document.etag));
        this.#client?.notification('textDocument/didSave', { textDocument: { uri } });
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        document.standing.set('conflict');
      }
    });
  }

  /** Ends a conflict: with their text, or by writing ours over it. */
  async resolve(document: Document, winner: 'ours' | 'theirs'): Promise<void> {
    await this.#inTurn(document, async () => {
      const theirs = await this.store.read(document.path);
      if (winner === 'theirs') return document.replace(theirs);
      document.etag = theirs.etag;
      document.standing.set('changed');
    });
    if (winner === 'ours' && document.standing.value === 'changed') await this.save(document);
  }

  /** Looks whether the file in sight was changed by somebody else. */
  async refresh(): Promise<void> {
    const document = this.active.value;
    if (document === undefined) return;
    await this.#inTurn(document, async () => {
      if (document.standing.value === 'conflict') return;
      const theirs = await this.store.readIfNot(document.path, document.etag).catch(ignoreSilence);
      if (theirs === undefined) return;
      if (document.standing.value === 'saved') document.replace(theirs);
      else document.standing.set('conflict');
    });
  }

  /** One look at the disk or write after the other: a save must not take the one before it for somebody else's. */
  #inTurn(document: Document, work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work).catch((error: unknown) => complain(`${document.path}: ${lineOf(error)}`));
    this.#turn = turn;
    return turn;
  }

  async #load(path: string): Promise<Document> {
    const stored = await this.store.read(path);
    const document = new Document(path, this.store.uriOf(path), stored, (changed) => this.edits.set(changed));
    document.view.dom.hidden = true;
    this.#all.push(document);
    byId('editors').append(document.view.dom);
    document.standing.follow(() => this.changes.set(document));
    this.#join(document);
    return document;
  }

  #join(document: Document): void {
    document.server = this.#client?.plugin(document.uri, document.languageId) ?? [];
  }
}

/** A bridge that does not answer is no news of a file; the bar says it. */
function ignoreSilence(error: unknown): undefined {
  if (error instanceof BridgeError && error.status === 0) return undefined;
  throw error;
}

// The files of the folder that the bridge serves: /files/.

import type { Bridge } from '../access.js';

/** One entry of the tree. */
export interface Entry {
  /** Relative to the folder, with slashes. */
  path: string;
  directory: boolean;
  sizeBytes: number;
}

/** A file's text as it is on disk, and what names that state. */
export interface Stored {
  text: string;
  /** Of the state read or written. */
  etag: string;
}

/** Where the texts of the editor come from, and go to. */
export interface TextStore {
  read(path: string): Promise<Stored>;
  /** What is there now, where it is not that state. */
  readIfNot(path: string, etag: string): Promise<Stored | undefined>;
  /** Writes over that state, and returns the new one's etag. Another state there is a ConflictError. */
  write(path: string, text: string, etag: string): Promise<string>;
  uriOf(path: string): string;
  /** The path of a URI, whose spelling may differ from ours; undefined for what is not of this store. */
  pathOf(uri: string): string | undefined;
}

/** The file is not the one that was read: somebody else has written it, or removed it. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';

  constructor(readonly path: string) {
    super(`${path} was changed by somebody else since it was opened`);
  }
}

/** It holds bytes that are no text in UTF-8; saving what an editor shows of it would destroy it. */
export class NotTextError extends Error {
  override readonly name = 'NotTextError';

  constructor(readonly path: string) {
    super(`${path} is no text in UTF-8`);
  }
}

const notModified = 304;
const preconditionFailed = 412;

export class FileStore implements TextStore {
  constructor(
    private readonly bridge: Bridge,
    /** The folder as the language server knows it, a file: URI without a slash at its end. */
    readonly rootUri: string,
  ) {}

  /** The tree, and whether it was too large to be listed whole. */
  async list(): Promise<{ entries: Entry[]; isCut: boolean }> {
    const answer = (await (await this.bridge.request('/files/')).json()) as {
      entries: { path: string; directory: boolean; size: number }[];
      truncated: boolean;
    };
    const entries = answer.entries.map(({ path, directory, size }) => ({ path, directory, sizeBytes: size }));
    return { entries, isCut: answer.truncated };
  }

  async read(path: string): Promise<Stored> {
    return this.#stored(path, await this.bridge.request(addressOf(path)));
  }

  async readIfNot(path: string, etag: string): Promise<Stored | undefined> {
    const response = await this.bridge.request(addressOf(path), { headers: { 'If-None-Match': etag } }, [notModified]);
    if (response.status === notModified || response.headers.get('ETag') === etag) return undefined;
    return this.#stored(path, response);
  }

  async write(path: string, text: string, etag: string): Promise<string> {
    const init = { method: 'PUT', body: text, headers: { 'If-Match': etag } };
    const response = await this.bridge.request(addressOf(path), init, [preconditionFailed]);
    if (response.status === preconditionFailed) throw new ConflictError(path);
    return response.headers.get('ETag') ?? '';
  }

  uriOf(path: string): string {
    return `${this.rootUri}/${encoded(path)}`;
  }

  pathOf(uri: string): string | undefined {
    const root = `${decoded(this.rootUri)}/`;
    const whole = decoded(uri);
    return whole.startsWith(root) ? whole.slice(root.length) : undefined;
  }

  async #stored(path: string, response: Response): Promise<Stored> {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }); // a mark at the start is saved as it was
    try {
      return { text: decoder.decode(await response.arrayBuffer()), etag: response.headers.get('ETag') ?? '' };
    } catch (error) {
      if (error instanceof TypeError) throw new NotTextError(path);
      throw error;
    }
  }
}

const addressOf = (path: string): string => `/files/${encoded(path)}`;

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri; // a per cent sign that encodes nothing stands for itself
  }
}

// The document of a bridge without a folder: one file, kept by the browser.

import type { Stored, TextStore } from './store.js';

const storedAs = 'parley.scratch';
const firstText = `{
  "name": "scratch",
  "about": "This document lives in your browser. Start parley serve with --root to edit a folder.",
  "try": ["a syntax error", "hovering over a key", "completion with Ctrl Space"]
}
`;

export const scratchPath = 'scratch.json';

export class ScratchStore implements TextStore {
  readonly rootUri = 'untitled:';

  async read(): Promise<Stored> {
    return { text: localStorage.getItem(storedAs) ?? firstText, etag: '' };
  }

  /** What another page of this browser saves stays there until this one is loaded again. */
  async readIfNot(): Promise<undefined> {
    return undefined;
  }

  async write(_: string, text: string): Promise<string> {
    localStorage.setItem(storedAs, text);
    return '';
  }

  uriOf(path: string): string {
    return this.rootUri + path;
  }

  pathOf(uri: string): string | undefined {
    return uri === this.uriOf(scratchPath) ? scratchPath : undefined;
  }
}

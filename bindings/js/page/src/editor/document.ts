// One open file: its text in an editor, and what of it is stored.

import type { WorkspaceFile } from '@codemirror/lsp-client';
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import type { Stored } from '../files/store.js';
import { Observable } from '../observable.js';
import { editorExtensions } from './extensions.js';
import { languageExtension, languageIdOf } from './languages.js';

/** How a document stands to its file. */
export type Standing =
  | 'saved' // as on disk
  | 'changed' // by the person at the page
  | 'conflict'; // by somebody else as well

export class Document implements WorkspaceFile {
  readonly languageId: string;
  readonly view: EditorView;
  readonly standing = new Observable<Standing>('saved');
  /** Of the text that the server was told last, as doc is. */
  version = 0;
  doc: Text;
  /** Of the state on disk that the text goes back to. */
  etag: string;
  #storedText: Text;
  readonly #server = new Compartment();

  /** onUpdate: the text or the cursor has changed. */
  constructor(
    readonly path: string,
    readonly uri: string,
    stored: Stored,
    onUpdate: (document: Document) => void,
  ) {
    this.languageId = languageIdOf(path);
    this.etag = stored.etag;
    const state = EditorState.create({
      doc: stored.text,
      extensions: [
        this.#server.of([]),
        editorExtensions,
        languageExtension(path),
        lineEnds(stored.text),
        EditorView.contentAttributes.of({ 'aria-label': path }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.#textChanged();
          if (update.docChanged || update.selectionSet) onUpdate(this);
        }),
      ],
    });
    this.doc = this.#storedText = state.doc;
    this.view = new EditorView({ state });
  }

  getView(): EditorView {
    return this.view;
  }

  get name(): string {
    return this.path.slice(this.path.lastIndexOf('/') + 1);
  }

  /** The text with the line ends that its file has. */
  get text(): string {
    return this.view.state.sliceDoc();
  }

  /** Connects the editor with a language server, or with none. */
  set server(plugin: Extension) {
    this.view.dispatch({ effects: this.#server.reconfigure(plugin) });
  }

  /** What was written is what was stored; the person may have typed on meanwhile. */
  saved(text: Text, etag: string): void {
    this.etag = etag;
    this.#storedText = text;
    this.standing.set('saved');
    this.#textChanged();
  }

  /** The file's new text takes the place of ours. It can be undone. */
  replace({ text, etag }: Stored): void {
    const { state } = this.view;
    const fresh = state.toText(text);
    const head = Math.min(state.selection.main.head, fresh.length);
    this.etag = etag;
    this.#storedText = fresh;
    this.standing.set('saved');
    if (!fresh.eq(state.doc))
      this.view.dispatch({ changes: { from: 0, to: state.doc.length, insert: fresh }, selection: { anchor: head } });
    this.#textChanged();
  }

  #textChanged(): void {
    if (this.standing.value === 'conflict') return; // only the person can end it
    const standing = this.view.state.doc.eq(this.#storedText) ? 'saved' : 'changed';
    if (standing !== this.standing.value) this.standing.set(standing);
  }
}

/** Saving changes no line end that nobody touched: CRLF where all are, else LF, with lone CRs as characters. */
function lineEnds(text: string): Extension {
  if (!text.includes('\r')) return [];
  const isAllCRLF = !/(^|[^\r])\n|\r(?!\n)/.test(text);
  return EditorState.lineSeparator.of(isAllCRLF ? '\r\n' : '\n');
}

// Renaming a symbol in every file that holds it. The client's own command skips files that are not open.

import { LSPPlugin } from '@codemirror/lsp-client';
import { type EditorView, getDialog, showDialog } from '@codemirror/view';

import { lineOf, tell } from '../frame/notices.js';
import { applyEdit, type WorkspaceEdit } from './edits.js';
import type { OpenFiles } from './workspace.js';

const panelClass = 'cm-lsp-rename-panel';

/** Asks for the new name of the word at the cursor, and has the server rename it. */
export function renameSymbol(view: EditorView): boolean {
  const word = view.state.wordAt(view.state.selection.main.head);
  if (word === null || getDialog(view, panelClass) !== null) return word !== null;
  if (LSPPlugin.get(view) === null) {
    tell('There is no server yet that could rename it.');
    return true;
  }
  const { close, result } = showDialog(view, {
    label: 'New name',
    input: { name: 'name', value: view.state.sliceDoc(word.from, word.to) },
    focus: true,
    submitLabel: 'Rename',
    class: panelClass,
  });
  void result.then((form) => {
    view.dispatch({ effects: close });
    view.focus();
    const name = (form?.elements.namedItem('name') as HTMLInputElement | undefined)?.value;
    if (name) void rename(view, word.from, name);
  });
  return true;
}

async function rename(view: EditorView, offset: number, newName: string): Promise<void> {
  const plugin = LSPPlugin.get(view);
  if (plugin === null) return; // the session has ended while the name was typed
  const { client, uri } = plugin;
  client.sync();
  const params = { textDocument: { uri }, position: plugin.toPosition(offset), newName };
  try {
    await client.withMapping(async (mapping) => {
      const edit = await client.request<typeof params, WorkspaceEdit | null>('textDocument/rename', params);
      if (edit !== null) await applyEdit((client.workspace as OpenFiles).documents, edit, mapping);
    });
  } catch (error) {
    plugin.reportError('The symbol was not renamed', lineOf(error));
  }
}

// Edits of a server that touch several files: a rename, or what it asks to be applied.

import type { WorkspaceMapping } from '@codemirror/lsp-client';
import type { TransactionSpec } from '@codemirror/state';

import type { Document } from './document.js';
import type { Documents } from './documents.js';
import { offsetOf, type Position, type Range } from './position.js';

const filesMax = 200;

interface TextEdit {
  range: Range;
  newText: string;
}

/** A WorkspaceEdit, in either of its spellings. */
export interface WorkspaceEdit {
  changes?: Record<string, TextEdit[]>;
  documentChanges?: ({ textDocument: { uri: string }; edits: TextEdit[] } | { kind: string })[];
}

/**
 * Applies all of an edit or nothing of it; files that are not open are opened and left unsaved.
 * mapping leads positions past what was typed since the server was asked.
 */
export async function applyEdit(documents: Documents, edit: WorkspaceEdit, mapping?: WorkspaceMapping): Promise<void> {
  const planned: [Document, TransactionSpec][] = [];
  const files = editsByUri(edit);
  if (files.length > filesMax)
    throw new Error(`the edit changes ${files.length} files, more than the ${filesMax} that may be opened at once`);
  for (const [uri, edits] of files) {
    const document = await documents.openUri(uri);
    if (document === undefined) throw new Error(`the edit changes ${uri}, which is not in the folder that is served`);
    const offset = (position: Position): number =>
      mapping?.getMapping(uri) ? mapping.mapPosition(uri, position) : offsetOf(document.view.state.doc, position);
    const changes = edits.map(({ range, newText }) => ({ from: offset(range.start), to: offset(range.end), insert: newText }));
    planned.push([document, { changes, userEvent: 'rename' }]);
  }
  for (const [document, transaction] of planned) document.view.dispatch(transaction);
}

function editsByUri({ changes, documentChanges }: WorkspaceEdit): [uri: string, edits: TextEdit[]][] {
  if (documentChanges === undefined) return Object.entries(changes ?? {});
  return documentChanges.map((change) => {
    if ('kind' in change) throw new Error(`the edit wants to ${change.kind} a file, which the page does not do`);
    return [change.textDocument.uri, change.edits];
  });
}

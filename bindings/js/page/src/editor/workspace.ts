// The open documents, as one session's client sees them.

import { type LSPClient, LSPPlugin, Workspace, type WorkspaceFile } from '@codemirror/lsp-client';
import type { ChangeSet, Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

import type { Document } from './document.js';
import type { Documents } from './documents.js';

/** It lasts as long as its session: a new server is told everything anew. */
export class OpenFiles extends Workspace {
  /** False once the session has ended: editors that leave it have nobody to tell. */
  isLive = true;

  constructor(
    client: LSPClient,
    readonly documents: Documents,
  ) {
    super(client);
  }

  override get files(): Document[] {
    return this.documents.all;
  }

  override getFile(uri: string): Document | null {
    return this.documents.withUri(uri) ?? null;
  }

  override syncFiles(): { file: WorkspaceFile; prevDoc: Text; changes: ChangeSet }[] {
    const updates: { file: WorkspaceFile; prevDoc: Text; changes: ChangeSet }[] = [];
    for (const file of this.isLive ? this.files : []) {
      const plugin = LSPPlugin.get(file.view);
      if (plugin === null || plugin.unsyncedChanges.empty) continue;
      updates.push({ file, prevDoc: file.doc, changes: plugin.unsyncedChanges });
      file.doc = file.view.state.doc;
      file.version++;
      plugin.clear();
    }
    return updates;
  }

  /** Documents are opened by their editors alone, whenever they join this client. */
  override connected(): void {}

  override openFile(uri: string): void {
    const file = this.getFile(uri);
    if (file === null || !this.isLive) return;
    file.doc = file.view.state.doc;
    file.version++;
    this.client.didOpen(file);
  }

  override closeFile(uri: string): void {
    if (this.isLive) this.client.didClose(uri);
  }

  override async displayFile(uri: string): Promise<EditorView | null> {
    return (await this.documents.show(uri))?.view ?? null;
  }
}

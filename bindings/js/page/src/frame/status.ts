// The status line: what is edited, where the cursor is, and whether it is saved.

import { byId, element } from '../dom.js';
import type { Standing } from '../editor/document.js';
import type { Documents } from '../editor/documents.js';

const standings: Record<Standing, string> = { saved: 'Saved', changed: 'Not saved', conflict: 'Changed on disk too' };

export function startStatus(documents: Documents, version: string): void {
  const [path, place, language, standing] = ['path', 'place', 'language', 'standing'].map((name) =>
    element('span', { class: name }),
  ) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement];
  byId('status').prepend(path);
  byId('status').append(standing, place, language, element('span', { class: 'version' }, `parley ${version}`));

  const show = (): void => {
    const document = documents.active.value;
    const state = document?.view.state;
    const head = state?.selection.main.head;
    const line = head === undefined ? undefined : state!.doc.lineAt(head);
    path.textContent = document?.path ?? '';
    place.textContent = line === undefined ? '' : `Line ${line.number}, column ${head! - line.from + 1}`;
    language.textContent = document?.languageId ?? '';
    standing.textContent = document === undefined ? '' : standings[document.standing.value];
  };
  documents.active.follow(show);
  documents.changes.follow(show);
  documents.edits.follow(show);
}

// The banner over a document that somebody else has changed as well.

import { byId, element } from '../dom.js';
import type { Documents } from './documents.js';

/** Shows the banner while the document in sight is in conflict, with the ways out. */
export function startConflicts(documents: Documents): void {
  const banner = byId('banner');
  const show = (): void => {
    const document = documents.active.value;
    const isConflict = document?.standing.value === 'conflict';
    if (banner.childElementCount > 0 && isConflict && banner.dataset.path === document.path) return;
    banner.replaceChildren();
    if (!isConflict) return;
    banner.dataset.path = document.path;
    banner.append(
      element('strong', {}, `${document.name} was changed on disk since you opened it.`),
      element('span', {}, 'Your text is not saved.'),
      element('span', { class: 'stretch' }),
      element('button', { click: () => void documents.resolve(document, 'theirs') }, 'Load theirs'),
      element('button', { class: 'danger', click: () => void documents.resolve(document, 'ours') }, 'Save over it'),
    );
  };
  documents.active.follow(show);
  documents.changes.follow(show);
}

// The open documents as tabs.

import { byId, element, emptyState } from '../dom.js';
import type { Document, Standing } from './document.js';
import type { Documents } from './documents.js';

const marks: Record<Standing, string> = { saved: '', changed: '●', conflict: '!' };
const names: Record<Standing, string> = { saved: '', changed: ' (not saved)', conflict: ' (changed on disk too)' };

/** Shows the tabs. Arrows move between them; Delete closes one, and asks where that would lose changes. */
export function startTabs(documents: Documents): void {
  const place = byId('tabs');
  const empty = element(
    'div',
    { class: 'cover' },
    emptyState('No file is open', 'Choose one on the left. F1 lists the keyboard shortcuts.'),
  );
  byId('editors').append(empty);

  const show = (): void => {
    const hadFocus = place.contains(document.activeElement);
    place.replaceChildren(...documents.all.map((one) => tab(one, documents)));
    empty.hidden = documents.all.length > 0;
    const selected = place.querySelector<HTMLElement>('[aria-selected="true"]');
    selected?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (hadFocus) selected?.focus();
  };
  documents.active.follow(show);
  documents.changes.follow(show);
  place.addEventListener('keydown', (event) => key(event, documents));
}

/** Closes a document, after asking where its changes would be lost. */
export function closeDocument(one: Document, documents: Documents): void {
  const isSafe = one.standing.value === 'saved' || confirm(`Close ${one.path} and lose what is not saved?`);
  if (isSafe) documents.close(one);
}

function tab(one: Document, documents: Documents): HTMLElement {
  const isActive = one === documents.active.value;
  const standing = one.standing.value;
  const button = element(
    'button',
    {
      role: 'tab',
      title: one.path,
      tabindex: isActive ? 0 : -1,
      'aria-selected': String(isActive),
      'aria-label': one.path + names[standing],
      click: () => {
        documents.activate(one);
        one.view.focus();
      },
    },
    one.name,
    element('span', { class: `mark ${standing}` }, marks[standing]),
  );
  const close = element(
    'button',
    { class: 'close', tabindex: -1, 'aria-label': `Close ${one.path}`, click: () => closeDocument(one, documents) },
    '×',
  );
  return element('div', { class: isActive ? 'tab active' : 'tab', role: 'presentation' }, button, close);
}

function key(event: KeyboardEvent, documents: Documents): void {
  const { all, active } = documents;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (active.value === undefined) return;
  if (step !== undefined) documents.activate(all[(all.indexOf(active.value) + step + all.length) % all.length]!);
  else if (event.key === 'Delete') closeDocument(active.value, documents);
  else return;
  event.preventDefault();
}

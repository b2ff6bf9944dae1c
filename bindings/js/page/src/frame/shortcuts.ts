// The keys of the page, in one list: what is bound is what the dialog shows.

import { byId, element } from '../dom.js';

/** A key of the page, written as in Mod-s. Mod is Command on a Mac, Control elsewhere. */
export interface Shortcut {
  key: string;
  does: string;
  run: () => void;
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Keys that the editor binds by itself; the dialog lists them too. */
const editorKeys: [key: string, does: string][] = [
  ['Ctrl-Space', 'Complete'],
  ['F12', 'Go to the definition; Mod-click does too'],
  ['Shift-F12', 'List the references in open files'],
  ['F2', 'Rename'],
  ['Shift-Alt-f', 'Format'],
  ['F8', 'Go to the next problem'],
  ['Mod-f', 'Search in the file'],
  ['Mod-z', 'Undo'],
  ['Escape, Tab', 'Leave the editor'],
];

/** Binds the keys, F1 and the button that shows them all. */
export function startShortcuts(shortcuts: readonly Shortcut[]): void {
  const dialog = byId<HTMLDialogElement>('shortcuts');
  const toggle = (): void => (dialog.open ? dialog.close() : dialog.showModal());
  const all = [...shortcuts, { key: 'F1', does: 'Show or hide this list', run: toggle }];

  fill(dialog, all);
  byId('help').addEventListener('click', toggle);
  addEventListener('keydown', (event) => {
    const found = all.find(({ key }) => matches(event, key));
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  });
}

function fill(dialog: HTMLDialogElement, shortcuts: readonly Shortcut[]): void {
  const row = (key: string, does: string): HTMLElement =>
    element('div', {}, element('dt', {}, element('kbd', {}, spelled(key))), element('dd', {}, does));
  dialog.append(
    element('h2', { id: 'shortcuts-title' }, 'Keyboard shortcuts'),
    element('h3', {}, 'Page'),
    element('dl', {}, ...shortcuts.map(({ key, does }) => row(key, does))),
    element('h3', {}, 'Editor'),
    element('dl', {}, ...editorKeys.map(([key, does]) => row(key, does))),
    element('h3', {}, 'Traffic'),
    element(
      'dl',
      {},
      row('↑ ↓', 'Select a message'),
      row('Home, End', 'First message; last, and follow'),
      row('j', 'Jump between a request and its answer'),
      row('/', 'Filter'),
    ),
    element('form', { method: 'dialog' }, element('button', {}, 'Close')),
  );
}

function matches(event: KeyboardEvent, key: string): boolean {
  const parts = key.split('-');
  const wants = (name: string): boolean => parts.includes(name);
  return (
    event.key.toLowerCase() === parts.at(-1)!.toLowerCase() &&
    (isMac ? event.metaKey : event.ctrlKey) === wants('Mod') &&
    event.shiftKey === wants('Shift') &&
    event.altKey === wants('Alt')
  );
}

function spelled(key: string): string {
  return key
    .replace('Mod', isMac ? '⌘' : 'Ctrl')
    .replaceAll('-', ' ')
    .replace(/ (\w)$/, (_, last: string) => ` ${last.toUpperCase()}`);
}

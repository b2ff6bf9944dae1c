// What every editor of the page has, whatever server is behind it.

import { indentWithTab } from '@codemirror/commands';
import { jumpToDefinition } from '@codemirror/lsp-client';
import { lintGutter } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { basicSetup } from 'codemirror';

import { look } from './look.js';
import { renameSymbol } from './rename.js';

const jumpOnClick = EditorView.domEventHandlers({
  mousedown(event, view) {
    const isJump = event.button === 0 && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const pos = isJump ? view.posAtCoords({ x: event.clientX, y: event.clientY }) : null;
    if (pos === null) return false;
    view.dispatch({ selection: { anchor: pos } });
    return jumpToDefinition(view);
  },
});

export const editorExtensions: Extension = [
  keymap.of([{ key: 'F2', run: renameSymbol, preventDefault: true }]),
  basicSetup,
  keymap.of([indentWithTab]), // Escape, then Tab leaves the editor
  EditorState.tabSize.of(4),
  lintGutter(),
  jumpOnClick,
  look,
];

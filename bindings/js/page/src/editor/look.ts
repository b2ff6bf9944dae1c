// How code looks: every colour is a custom property, so that light and dark are one theme.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const style = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.comment], color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--code-type)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--code-function)' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--code-property)' },
  { tag: tags.invalid, color: 'var(--error)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--paper)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--line-active)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--line-active)', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--selection) !important',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--match)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--match)', outline: '1px solid var(--line)' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent) !important',
    color: 'var(--on-accent) !important',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono) !important', fontSize: '12px' },
  '.cm-lsp-hover-tooltip': { maxWidth: '42em', maxHeight: '20em', overflow: 'auto', padding: '6px 10px', lineHeight: '1.45' },
  '.cm-lsp-documentation hr': { border: 'none', borderTop: '1px solid var(--line)', margin: '4px 0' },
  '.cm-lsp-documentation a': { color: 'var(--accent)' },
  '.cm-diagnostic': { padding: '4px 10px', fontFamily: 'var(--sans)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--error) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--warning) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-info, .cm-lintRange-hint': {
    backgroundImage: 'none',
    textDecoration: 'underline dotted var(--muted) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-lint-marker': {
    content: 'none !important',
    width: '8px',
    height: '8px',
    margin: '6px 3px 0',
    borderRadius: '50%',
    background: 'var(--muted)',
  },
  '.cm-lint-marker-error': { background: 'var(--error)' },
  '.cm-lint-marker-warning': { background: 'var(--warning)' },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
  },
  '.cm-textfield': {
    backgroundColor: 'var(--paper)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
    color: 'var(--text)',
  },
});

export const look: Extension = [theme, syntaxHighlighting(style)];

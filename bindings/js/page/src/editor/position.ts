// Positions of the Language Server Protocol in a document.

import type { Text } from '@codemirror/state';

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** The offset of a position; one behind the end of its line or of the text is that end. */
export function offsetOf(doc: Text, { line, character }: Position): number {
  if (!(line >= 0)) return 0;
  if (line >= doc.lines) return doc.length;
  const { from, length } = doc.line(Math.floor(line) + 1);
  return from + Math.min(length, Math.max(0, Math.floor(character) || 0));
}

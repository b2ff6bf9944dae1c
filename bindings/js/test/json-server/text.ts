// A document's text, and positions in it as LSP counts them: lines, and UTF-16 units in a line.

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export class Text {
  readonly #lines: number[]; // where each begins

  constructor(readonly content: string) {
    this.#lines = [0, ...Array.from(content.matchAll(/\r\n|\r|\n/g), (end) => end.index + end[0].length)];
  }

  /** A position behind the end of its line, or of the text, is that end. */
  offset({ line, character }: Position): number {
    const start = this.#lines[line] ?? this.content.length;
    const [rest] = this.content.slice(start).split(/[\r\n]/, 1);
    return start + Math.min(character, rest!.length);
  }

  position(offset: number): Position {
    const line = this.#lines.findLastIndex((start) => start <= offset);
    return { line, character: offset - this.#lines[line]! };
  }

  range(start: number, end: number): Range {
    return { start: this.position(start), end: this.position(end) };
  }
}

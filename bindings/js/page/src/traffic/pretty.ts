// JSON for reading: indented and coloured, every character of numbers and strings as it was sent.

import { element } from '../dom.js';

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]|[^\s{}[\],:"]+|"/g;
const shownMax = 64 << 10; // characters; more would make the page slow, and nobody reads them
const indentMax = 32; // a hostile message may nest as deep as it is long

/** What the text is made of, without the white space between. */
export const tokens = (text: string): string[] => text.match(token) ?? [];

/**
 * The text as coloured lines; at most 64 Ki of its characters, and whether that was all. It may be no
 * JSON, or JSON that is cut: then it is shown as far as it goes.
 */
export function pretty(text: string): { lines: HTMLElement; isCut: boolean } {
  const lines = element('pre', { class: 'json', tabindex: 0 });
  let depth = 0;
  const newline = (): string => `\n${'  '.repeat(Math.min(depth, indentMax))}`;
  const parts = tokens(text.slice(0, shownMax));
  for (const [i, part] of parts.entries()) {
    const next = parts[i + 1];
    if (part === '{' || part === '[') {
      const isEmpty = next === '}' || next === ']';
      depth++;
      lines.append(part + (isEmpty ? '' : newline()));
    } else if (part === '}' || part === ']') {
      const wasEmpty = parts[i - 1] === '{' || parts[i - 1] === '[';
      depth = Math.max(0, depth - 1);
      lines.append((wasEmpty ? '' : newline()) + part);
    } else if (part === ',') {
      lines.append(`,${newline()}`);
    } else if (part === ':') {
      lines.append(': ');
    } else {
      lines.append(element('span', { class: classOf(part, next) }, part));
    }
  }
  return { lines, isCut: text.length > shownMax };
}

function classOf(part: string, next: string | undefined): string {
  if (part.startsWith('"')) return next === ':' ? 'key' : 'string';
  return /^-?\d/.test(part) ? 'number' : 'literal';
}

// What the server knows about a JSON document.

import { Fault, parse, tokens, type Kind, type Node } from './parse.js';
import type { Position, Range, Text } from './text.js';

export interface Diagnostic {
  range: Range;
  severity: number;
  source: string;
  message: string;
}

interface Symbol {
  name: string;
  detail: string;
  kind: number;
  range: Range;
  selectionRange: Range;
  children?: Symbol[];
}

const [severityError, severityWarning] = [1, 2];
const symbolKinds: Record<Kind, number> = { object: 19, array: 18, string: 15, number: 16, boolean: 17, null: 21 };

/** The first fault, and names that appear twice in one object. */
export function diagnose(text: Text): Diagnostic[] {
  const at = ({ start, end }: { start: number; end: number }, severity: number, message: string): Diagnostic => ({
    range: text.range(start, end),
    severity,
    source: 'parley',
    message,
  });
  const twice = (node: Node): Diagnostic[] => {
    const first = new Map<string, number>();
    return node.children.flatMap((child) => {
      const { key } = child;
      const line = key && first.get(key.name);
      if (key !== undefined && line === undefined) first.set(key.name, text.position(key.start).line + 1);
      const message = `duplicate name ${JSON.stringify(key?.name)}: first on line ${line}, and most readers keep the last`;
      return [...(key !== undefined && line !== undefined ? [at(key, severityWarning, message)] : []), ...twice(child)];
    });
  };
  try {
    const root = parse(text.content);
    return root === undefined ? [] : twice(root);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [at(error.token, severityError, error.message)];
  }
}

/** The tree of a text that may have a fault: then there is none. */
function treeOf(text: Text): Node | undefined {
  try {
    return parse(text.content);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

const startOf = ({ key, start }: Node): number => key?.start ?? start;

export function hover(text: Text, position: Position): { contents: { kind: string; value: string }; range: Range } | null {
  const offset = text.offset(position);
  const root = treeOf(text);
  if (root === undefined || offset < root.start || offset > root.end) return null;
  let node = root;
  let path = '$';
  for (;;) {
    const index: number = node.children.findLastIndex((child) => startOf(child) <= offset && offset <= child.end);
    const child: Node | undefined = node.children[index];
    if (child === undefined) break;
    path += child.key === undefined ? `[${index}]` : step(child.key.name);
    node = child;
  }
  return {
    contents: { kind: 'plaintext', value: `${path}\n${describe(text, node)}` },
    range: text.range(startOf(node), node.end),
  };
}

const step = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);

function describe(text: Text, { kind, start, end, children }: Node): string {
  const noun = { object: 'member', array: 'item' }[kind as string];
  if (noun !== undefined) return `${kind}, ${children.length} ${noun}${children.length === 1 ? '' : 's'}`;
  return `${kind} ${text.content.slice(start, end)}`;
}

export function symbols(text: Text, parent = treeOf(text)): Symbol[] {
  return (parent?.children ?? []).map((node, index) => ({
    name: (node.key?.name ?? String(index)) || '""', // LSP forbids an empty name
    detail: describe(text, node),
    kind: symbolKinds[node.kind],
    range: text.range(startOf(node), node.end),
    selectionRange: node.key === undefined ? text.range(node.start, node.end) : text.range(node.key.start, node.key.end),
    ...(node.children.length > 0 && { children: symbols(text, node) }),
  }));
}

export interface FormatOptions {
  tabSize: number;
  insertSpaces: boolean;
  insertFinalNewline?: boolean;
}

/** The edits of white space that is wrong. It throws a Fault: to re-indent a guess loses text. */
export function format(text: Text, options: FormatOptions): { range: Range; newText: string }[] {
  parse(text.content);
  const newline = /^[^\n]*\r\n/.test(text.content) ? '\r\n' : '\n';
  const indent = options.insertSpaces ? ' '.repeat(Math.min(options.tabSize, 16)) : '\t';
  let depth = 0;
  let previous = { text: '', end: 0 };
  return tokens(text.content).flatMap((token) => {
    const [opened, closes] = [/^[{[]$/.test(previous.text), /^[}\]]$/.test(token.text)];
    if (opened) depth++;
    if (closes) depth--;
    const found = text.content.slice(previous.end, token.start);
    const isLast = token.text === '';
    let space = '';
    if (isLast && (options.insertFinalNewline || /[\r\n]/.test(found))) space = newline;
    else if (previous.text === ':') space = ' ';
    else if (previous.text === ',' || opened !== closes) space = isLast ? '' : newline + indent.repeat(depth);
    const range = text.range(previous.end, token.start);
    previous = token;
    return found === space ? [] : [{ range, newText: space }];
  });
}

/** Behind a name's colon the values that the name has anywhere, elsewhere all names. */
export function complete(text: Text, position: Position): { label: string; kind: number }[] {
  const offset = text.offset(position);
  const all = tokens(text.content);
  const isName = (at: number): boolean => all[at + 1]?.text === ':' && all[at]!.text.startsWith('"');
  const before = all.findLastIndex((token) => token.text !== '' && token.end <= offset);
  const name = all[before]?.text === ':' ? all[before - 1]?.text : undefined;
  const labels = all.flatMap((token, at) => {
    if (name === undefined) return isName(at) ? [token.text] : [];
    return isName(at) && token.text === name ? [all[at + 2]!.text] : [];
  });
  const [property, value] = [10, 12];
  const kind = name === undefined ? property : value;
  return [...new Set(labels)].filter((label) => !/^[{}[\],]?$/.test(label)).map((label) => ({ label, kind }));
}

// JSON as a tree with offsets, up to the first fault.

export type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface Token {
  text: string;
  start: number;
  end: number;
}

export interface Node {
  kind: Kind;
  start: number;
  end: number;
  children: Node[];
  /** Of a member of an object: its name, unescaped. */
  key?: Token & { name: string };
}

/** What is wrong with a text, and where. */
export class Fault extends Error {
  constructor(
    readonly token: Token,
    message: string,
  ) {
    super(message);
  }
}

/** Punctuation, strings, words; the last one is the empty token at the end. */
export function tokens(text: string): Token[] {
  const found = Array.from(text.matchAll(/[{}[\]:,]|"(?:[^"\\\r\n]|\\.)*"?|[^\s{}[\]:,"]+/g), ({ 0: token, index }) => ({
    text: token,
    start: index,
    end: index + token.length,
  }));
  return [...found, { text: '', start: text.length, end: text.length }];
}

/** The tree, undefined for a blank text; it throws a Fault. */
export function parse(text: string): Node | undefined {
  const left = tokens(text);
  const take = (): Token => left.shift()!;
  const next = (): string => left[0]!.text;

  const value = (): Node => {
    const token = take();
    if (token.text === '{') return list('object', token, '}', member);
    if (token.text === '[') return list('array', token, ']', value);
    return { kind: kindOf(token), start: token.start, end: token.end, children: [] };
  };
  const member = (): Node => {
    const token = take();
    if (!token.text.startsWith('"')) throw new Fault(token, 'expected a name in double quotes');
    const key = { ...token, name: decode(token) as string };
    if (next() !== ':') throw new Fault(token, 'a colon is missing after this name');
    take();
    return { ...value(), key };
  };
  const list = (kind: Kind, opening: Token, closer: string, item: () => Node): Node => {
    const children: Node[] = [];
    while (next() !== closer) {
      if (children.length > 0 && next() !== ',') throw new Fault(left[0]!, 'a comma is missing before this');
      if (children.length > 0) take();
      children.push(item());
    }
    return { kind, start: opening.start, end: take().end, children };
  };

  if (next() === '') return undefined;
  const root = value();
  if (next() !== '') throw new Fault(left[0]!, 'expected the end of the document');
  return root;
}

function kindOf(token: Token): Kind {
  const value = decode(token);
  return value === null ? 'null' : (typeof value as Kind);
}

function decode(token: Token): unknown {
  try {
    return JSON.parse(token.text);
  } catch {
    throw new Fault(token, 'expected a value');
  }
}

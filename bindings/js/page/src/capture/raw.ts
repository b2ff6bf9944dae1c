// Members of JSON as they are spelled: a parser would round their numbers.

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+|[{}[\],:]/g;

/** The text of a member of the object that text is, which is valid JSON; undefined where it has none. */
export function memberText(text: string, name: string): string | undefined {
  const tokens = new RegExp(token);
  let depth = 0;
  let start = -1; // of the value that was looked for
  let last = '';
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [part] = found;
    if (start >= 0 && depth === 1 && (part === ',' || part === '}')) return text.slice(start, found.index).trim();
    if (part === '{' || part === '[') depth++;
    else if (part === '}' || part === ']') depth--;
    else if (part === ':' && depth === 1 && start < 0 && JSON.parse(last) === name) start = tokens.lastIndex;
    last = part;
  }
  return undefined;
}

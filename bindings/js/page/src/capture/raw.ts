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

/** The texts of the entries of the array that text is, which is valid JSON; none where it is no array. */
export function entryTexts(text: string): string[] {
  const entries: string[] = [];
  const tokens = new RegExp(token);
  let depth = 0;
  let start = 0; // of the entry
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [part] = found;
    if (depth === 0 && part !== '[') return [];
    if (depth === 1 && (part === ',' || part === ']')) {
      const entry = text.slice(start, found.index).trim();
      if (entry !== '') entries.push(entry);
    }
    if (part === '{' || part === '[') depth++;
    else if (part === '}' || part === ']') depth--;
    if (depth === 0) break;
    if (depth === 1 && (start === 0 || part === ',')) start = tokens.lastIndex;
  }
  return entries;
}

// The filter of the panel: words that all have to hold. What a word means is its prefix.

import type { Message } from './message.js';

export type Filter = (message: Message) => boolean;

/** What the filter understands, as its help says it. */
export const filterHelp =
  'Words must all hold: hover · kind:request · dir:received · id:7 · >50ms · error · body:text · -word for not';

const all: Filter = () => true;

/** Reads a line of words. Everything is a valid filter; '' lets all pass. */
export function parseFilter(line: string): Filter {
  const words = line.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all;
  const tests = words.map((word) => (word.startsWith('-') && word.length > 1 ? not(parseWord(word.slice(1))) : parseWord(word)));
  return (message) => tests.every((test) => test(message));
}

function parseWord(word: string): Filter {
  const slower = /^>(\d+(?:\.\d+)?)(?:ms)?$/.exec(word);
  if (slower !== null) return ({ latencyMs }) => latencyMs !== undefined && latencyMs > Number(slower[1]);
  if (word === 'error') return ({ kind }) => kind === 'error' || kind === 'invalid';
  const [, name, value] = /^(kind|dir|id|body):(.*)$/.exec(word) ?? [];
  switch (name) {
    case 'kind':
      return ({ kind }) => kind.startsWith(value!);
    case 'dir':
      return ({ direction }) => direction.startsWith(value!);
    case 'id':
      return ({ id }) => id.toLowerCase() === value || id.toLowerCase() === `"${value}"`;
    case 'body':
      return ({ text }) => text?.toLowerCase().includes(value!) ?? false;
    default:
      return ({ method }) => method.toLowerCase().includes(word);
  }
}

const not =
  (filter: Filter): Filter =>
  (message) =>
    !filter(message);

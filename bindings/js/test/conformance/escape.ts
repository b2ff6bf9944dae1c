// How bytes are spelled in a vector. Here they are strings of one character a byte.

/** Bytes as a string of one character each. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}

/** The inverse of latin1. */
export const toBytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };
const hex = (character: string): string => `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/** A word: without a space, never empty. */
export const word = (text: string): string =>
  text === '' ? '\\e' : text.replace(/[^!-~]|\\/g, (character) => named[character] ?? hex(character));

/** The rest of a line: a space is escaped at either end alone. */
export const rest = (text: string): string => text.replace(/[^ -~]|\\|^ | $/g, (character) => named[character] ?? hex(character));

/** The first character escaped whatever it is. */
export const escapeFirst = (text: string): string => hex(text.slice(0, 1)) + text.slice(1);

/** The inverse of word and rest. */
export function unescaped(text: string): string {
  return text.replace(/\\(x([0-9A-F]{2})|.?)/g, (_, escaped: string, digits: string | undefined) => {
    if (digits !== undefined) return String.fromCharCode(parseInt(digits, 16));
    const meaning = ({ n: '\n', r: '\r', t: '\t', '\\': '\\', e: '' } as Record<string, string>)[escaped];
    if (meaning === undefined) throw new SyntaxError(`unknown escape \\${escaped}`);
    return meaning;
  });
}

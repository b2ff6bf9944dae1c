// Foreign text made fit to be shown (REQ-6).

const shownCharactersMax = 512;

// Control characters, line separators and bidirectional controls.
const unshowable = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One line of at most 512 characters, without control and bidirectional characters. */
export function oneLine(text: string): string {
  const characters = Array.from(text.slice(0, 2 * shownCharactersMax + 2));
  const isCut = characters.length > shownCharactersMax;
  const shown = characters.slice(0, shownCharactersMax).join('').replace(unshowable, '\ufffd');
  return isCut ? `${shown}…` : shown;
}

/** Bytes or text of the peer's between quotation marks, printable ASCII only, at most 512 characters. */
export function quoted(foreign: string | Uint8Array): string {
  const text = typeof foreign === 'string' ? foreign : String.fromCharCode(...foreign.subarray(0, shownCharactersMax));
  const escaped = text
    .slice(0, shownCharactersMax)
    .replace(/["\\]/g, (character) => `\\${character}`)
    .replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${escaped}${text.length > shownCharactersMax ? '…' : ''}"`;
}

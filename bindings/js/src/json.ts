// JSON text that is decoded when somebody looks at it.

/** A JSON text, already known to be valid. Sent as params, result or data it goes out as it is. */
export class Json<T = unknown> {
  #value: T | undefined;
  #isDecoded = false;

  constructor(readonly text: string) {}

  /** The value, decoded at the first look, with numbers as JSON.parse has them. */
  get value(): T {
    if (!this.#isDecoded) {
      this.#value = JSON.parse(this.text) as T;
      this.#isDecoded = true;
    }
    return this.#value as T;
  }

  /** Inside another value it is what it decodes to. */
  toJSON(): T {
    return this.value;
  }

  /** The value with every integer beyond 2^53 - 1, which a number would round, as a bigint. */
  exact(): unknown {
    return parseExact(this.text);
  }
}

/** The JSON text of a value, without lone surrogates (MSG-1); undefined where there is no value. */
export function encode(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value instanceof Json) return value.text;
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError(`${typeof value} has no JSON text`);
  // JSON.stringify escapes lone surrogates, and nothing else, as \ud…
  return text.includes('\\ud')
    ? text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === '\\\\' ? found : '\ufffd'))
    : text;
}

const [quote, backslash, minus, zero, nine] = ['"', '\\', '-', '0', '9'].map((character) => character.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
];

/** Spells large integers as strings with a mark that no peer can guess, and takes them back by it. */
function parseExact(text: string): unknown {
  const mark = `parley:${Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')}:`;
  let marked = '';
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      at = endOfString(text, at);
    } else if (character === minus || (character >= zero && character <= nine)) {
      const end = endOfNumber(text, at);
      const token = text.slice(at, end);
      if (token.length > 15 && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
        marked += `${text.slice(copied, at)}"${mark}${token}"`;
        copied = end;
      }
      at = end;
    } else {
      at++;
    }
  }
  if (copied === 0) return JSON.parse(text);
  return JSON.parse(marked + text.slice(copied), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) return at + 1;
    if (character === backslash) at++;
  }
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && /[-+.0-9eE]/.test(text[at]!)) at++;
  return at;
}

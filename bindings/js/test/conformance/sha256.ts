// SHA-256 (FIPS 180-4), because the page's is asynchronous and the player is not.

const roundConstants = new Uint32Array(64);
const initial = new Uint32Array(8);

/** The first 32 bits of a number's fraction. */
const fractionBits = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) >>> 0;

for (let n = 2, found = 0; found < 64; n++) {
  let isPrime = true;
  for (let divisor = 2; divisor * divisor <= n; divisor++) isPrime &&= n % divisor !== 0;
  if (!isPrime) continue;
  if (found < 8) initial[found] = fractionBits(Math.sqrt(n));
  roundConstants[found++] = fractionBits(Math.cbrt(n));
}

const rotate = (x: number, bits: number): number => (x >>> bits) | (x << (32 - bits));

/** The digest in hexadecimal. */
export function sha256(message: Uint8Array): string {
  const padded = new Uint8Array((((message.length + 8) >> 6) << 6) + 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  const state = initial.slice();
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(block + 4 * i);
    compress(state, words);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function compress(state: Uint32Array, words: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const a = words[i - 15]!;
    const b = words[i - 2]!;
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    words[i] = words[i - 16]! + s0 + words[i - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + roundConstants[i]! + words[i]!) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = state[i]! + word;
}

// The conformance runner itself: it fails where a machine and a vector differ.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { init } from '../src/node.js';
import { rest, toBytes, unescaped, word } from './conformance/escape.js';
import { mismatch, parseAll } from './conformance/home.js';
import { sha256 } from './conformance/sha256.js';

const vector = `# CALL-1  A call.
open profile=plain role=client
> call m
> at 1s
< out {"jsonrpc":"2.0","id":1,"method":"m"}\\n
> frame {"jsonrpc":"2.0","id":1,"result":7}
> at 2s
< result c1 7
`;

test('a vector that fits passes, and one that does not is shown with its cutting', async () => {
  const engine = await init();
  const [fits] = parseAll({ 'a.rpc': vector });
  assert.equal(mismatch(engine, fits!), undefined);
  const [differs] = parseAll({ 'a.rpc': vector.replace('c1 7', 'c1 8') });
  assert.match(mismatch(engine, differs!) ?? '', /^a\/a-call: whole:\n[\s\S]*\n- < result c1 8\n\+ < result c1 7\n/);
  const [longer] = parseAll({ 'a.rpc': `${vector}< writable\n` });
  assert.match(mismatch(engine, longer!) ?? '', /\n- < writable\n$/);
});

test('what is no vector is refused with its line', () => {
  for (const [broken, want] of [
    ['> eof\n', /a.rpc:1: want a title/],
    [`${vector}> jump\n`, /a.rpc:9: unknown verb/],
    [`${vector}> in \\q\n`, /a.rpc:9: unknown escape/],
    [`${vector}> eof now\n`, /a.rpc:9: nothing is known about/],
  ] as const) {
    assert.throws(() => parseAll({ 'a.rpc': broken }), want);
  }
});

test('bytes survive their spelling', () => {
  const all = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i));
  for (const text of ['', ' ', ' a b ', all]) {
    assert.equal(unescaped(word(text)), text);
    assert.equal(unescaped(rest(text)), text);
    assert.doesNotMatch(word(text), /[^!-~]/);
  }
});

test('SHA-256 is SHA-256', () => {
  for (const size of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const text = 'é'.repeat(size).slice(0, size);
    const bytes = toBytes(text);
    assert.equal(sha256(bytes), createHash('sha256').update(bytes).digest('hex'), `${size} bytes`);
  }
});

// The third home of the conformance vectors: the module in Node, through these bindings.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { init } from '../src/node.js';
import { digestFile, gaps, vectorFiles } from './conformance/files.js';
import { digest, mismatch, parseAll } from './conformance/home.js';

for (const [file, text] of Object.entries(vectorFiles())) {
  test(`${file}: every vector shows what it says, whole and cut (FRAME-1)`, async () => {
    const engine = await init();
    const known = gaps();
    const vectors = parseAll({ [file]: text }).filter(({ name }) => !known.has(name));
    assert.equal(vectors.map((vector) => mismatch(engine, vector) ?? '').join(''), '');
  });
}

test('the digest is the one of all homes, and no vector is skipped', async () => {
  const { text } = digest(await init(), parseAll(vectorFiles()), gaps());
  assert.equal(text, digestFile());
});

// The fourth home of the conformance vectors: the module in headless Chromium, in a page whose policy
// allows scripts of its own and compiling wasm, and nothing else.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { noChromium, withPage } from './chromium.js';
import { digestFile, gaps, vectorFiles } from './conformance/files.js';

test('the page shows what every vector says, whole and cut, and has the digest of all homes', { skip: noChromium }, async () => {
  const known = [...gaps()];
  await withPage(async (page) => {
    const { text } = await page.evaluate(([files, names]) => playDigest(files, names), [vectorFiles(), known] as const);
    assert.equal(text, digestFile());
    for (const [file, vectors] of Object.entries(vectorFiles())) {
      const mismatches = await page.evaluate(([files, names]) => playCuts(files, names), [{ [file]: vectors }, known] as const);
      assert.equal(mismatches, '');
    }
  });
});

test('a page calls a server in its worker', { skip: noChromium }, async () => {
  await withPage(async (page) => {
    const { values, failure, end } = await page.evaluate(() => callWorker());
    assert.deepEqual(values, [1, 'é😀', 'x'.repeat(1 << 20), { a: null }]);
    assert.match(failure, /^CallError: parley: call "wait" \(id 5\): peer: no answer in the time given$/);
    assert.equal(end, 'undefined');
  });
});

// The fourth home of the conformance vectors: the module in headless Chromium, in a page whose policy
// allows scripts of its own and compiling wasm, and nothing else.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { noChromium } from './chromium.js';
import { withPage } from './served-page.js';
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

const talk = {
  values: [1, 'é😀', 'x'.repeat(1 << 20), { a: null }],
  failure: 'CallError: parley: call "wait" (id 5): peer: no answer in the time given',
  end: 'undefined',
};

test('a page calls a server in its worker', { skip: noChromium }, async () => {
  await withPage(async (page) => assert.deepEqual(await page.evaluate(() => callWorker()), talk));
});

test("a page calls a server through the browser's own WebSocket, in text and in bytes", { skip: noChromium }, async () => {
  const afterCount = { ...talk, failure: talk.failure.replace('id 5', 'id 6'), told: [100, 99] };
  await withPage(async (page) => {
    for (const binary of [false, true]) {
      assert.deepEqual(await page.evaluate((asBytes) => callSocket(asBytes), binary), afterCount);
    }
  });
});

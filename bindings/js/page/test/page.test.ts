// The page before a server that shows what arrives: sockets, files, keys, and the traffic panel.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import type { Page } from 'playwright-core';

import { noChromium } from '../../test/chromium.js';
import { type Bridge, CuttingProxy } from './bridge.js';
import { editorOf, linkState, openFile, picture, withPage } from './browser.js';
import { Fixture } from './fixture.js';
import { pageFolder } from './places.js';

const files = {
  'notes.txt': 'first\n',
  'windows.txt': 'one\r\ntwo\r\n',
  'picture.bin': Buffer.from([0x89, 0x50, 0xff, 0x00]),
  'shape/shape.go': 'package shape\n',
};

describe('the page with a server that repeats what it was told', { skip: noChromium, timeout: 180_000 }, () => {
  const fixture = new Fixture();
  let root: string;
  let bridge: Bridge;
  before(async () => {
    root = fixture.folder('texts', files);
    bridge = await fixture.serve('--root', root, '--', process.execPath, join(pageFolder, 'test', 'recorder.mjs'));
  });

  test('loses and doubles nothing when its socket is cut again and again', async () => {
    const proxy = await CuttingProxy.start(bridge.url);
    try {
      await withPage(fixture.browser, proxy.through(bridge.url), { expected: /WebSocket connection/ }, async (page) => {
        await openFile(page, 'notes.txt');
        await editorOf(page, 'notes.txt').click();
        await page.keyboard.press('Control+End');
        let typed = 'first\n';
        await heldByServer(page, typed); // before that the proxy would cut the page's own files
        for (const word of ['one ', 'two ', 'three ', 'four ', 'five ']) {
          await page.keyboard.type(word);
          typed += word;
          proxy.cut();
          await heldByServer(page, typed);
        }
        proxy.isRefusing = true;
        proxy.cut();
        await linkState(page).filter({ hasText: 'connection lost' }).waitFor();
        await page.keyboard.type('offline');
        await picture(page, 'waiting');
        const refusal = proxy.refusal();
        await page.getByRole('button', { name: 'Retry now' }).click();
        await refusal;
        proxy.isRefusing = false;
        const { changes, version } = await heldByServer(page, `${typed}offline`);
        assert.equal(version, changes + 1); // each change arrived, once and in order
        await page.getByRole('searchbox').fill('publishDiagnostics');
        await page.locator('#traffic .total', { hasText: `${changes + 1} of` }).waitFor();
      });
    } finally {
      proxy.stop();
    }
  });

  test('lists ten thousand messages, and makes rows only of what is in sight', async () => {
    await withPage(fixture.browser, bridge.url, {}, async (page) => {
      await openFile(page, 'notes.txt');
      await editorOf(page, 'notes.txt').click();
      await page.keyboard.press('Control+End');
      await page.keyboard.insertText('burst 10000!');
      await page.locator('#traffic .total', { hasText: /^10,0\d\d$/ }).waitFor();
      const messages = page.getByRole('listbox', { name: 'Messages' });
      assert.ok((await messages.locator('.message').count()) < 100);
      await messages.focus();
      await page.keyboard.press('End');
      await page.locator('#detail', { hasText: '9999' }).waitFor();
      await page.keyboard.press('Home');
      await page.locator('.message[aria-selected="true"]').waitFor();
      await picture(page, 'full');
      await page.getByRole('searchbox').fill('body:"i":7777}');
      await page.locator('#traffic .total', { hasText: /^1 of 10,0/ }).waitFor();
      await page.getByRole('searchbox').fill('nothing-like-this');
      await page.getByText('No message passes the filter').waitFor();
    });
  });

  test('does not save over what somebody else wrote, until it is told to', async () => {
    const file = join(root, 'windows.txt');
    await withPage(fixture.browser, bridge.url, { expected: /412/ }, async (page) => {
      await openFile(page, 'windows.txt');
      await editorOf(page, 'windows.txt').click();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type('zero ');
      writeFileSync(file, 'theirs\r\n');
      await page.keyboard.press('Control+s');
      const banner = page.locator('#banner');
      await banner.filter({ hasText: 'windows.txt was changed on disk' }).waitFor();
      assert.equal(readFileSync(file, 'utf8'), 'theirs\r\n');
      await picture(page, 'conflict');
      await page.getByRole('button', { name: 'Save over it' }).click();
      await page.locator('#status .standing', { hasText: /^Saved$/ }).waitFor();
      assert.equal(readFileSync(file, 'utf8'), 'zero one\r\ntwo\r\n'); // line ends as they were

      await editorOf(page, 'windows.txt').click();
      await page.keyboard.type('mine ');
      writeFileSync(file, 'theirs again\r\n');
      await page.keyboard.press('Control+s');
      await page.getByRole('button', { name: 'Load theirs' }).click();
      await page.locator('.cm-line', { hasText: 'theirs again' }).waitFor();
      assert.equal(await banner.textContent(), '');
    });
  });

  test('shows what a server says, and runs nothing of it', async () => {
    // Some versions of Chromium say that a handler is blocked as soon as it is parsed, before it can be taken out.
    const expected = /Executing inline event handler violates|script-src-attr inline/;
    await withPage(fixture.browser, bridge.url, { expected }, async (page) => {
      await linkState(page)
        .filter({ hasText: /^node$/ })
        .waitFor();
      await openFile(page, 'notes.txt');
      await page.locator('.cm-line', { hasText: 'first' }).hover({ position: { x: 20, y: 10 } });
      const tooltip = page.locator('.cm-lsp-hover-tooltip', { hasText: 'before' });
      await tooltip.waitFor();
      const tags = await tooltip.evaluate((node) => [...node.querySelectorAll('*')].map(({ tagName }) => tagName));
      assert.deepEqual(
        tags.filter((tag) => !['P', 'A', 'STRONG'].includes(tag)),
        [],
      );
      const addresses = await tooltip.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      assert.deepEqual(addresses, [null, 'https://example.com/']);
      assert.equal(await page.title(), 'parley');
    });
  });

  test('leaves no session behind: a reload ends one, and so does a restart', async () => {
    await withPage(fixture.browser, bridge.url, {}, async (page) => {
      await linkState(page)
        .filter({ hasText: /^node$/ })
        .waitFor();
      await page.reload();
      await linkState(page)
        .filter({ hasText: /^node$/ })
        .waitFor();
      const restart = page.getByRole('button', { name: 'Restart' });
      await restart.dblclick();
      await linkState(page)
        .filter({ hasText: /^node$/ })
        .waitFor();
      await openFile(page, 'notes.txt');
      await heldByServer(page, readFileSync(join(root, 'notes.txt'), 'utf8'));
      await sessionsOf(bridge, 1);
    });
    await sessionsOf(bridge, 0);
  });

  test('says why a file cannot be opened', async () => {
    await withPage(fixture.browser, bridge.url, {}, async (page) => {
      await page.getByRole('treeitem', { name: 'picture.bin' }).click();
      await page.getByText('picture.bin is no text in UTF-8').waitFor();
      await page.getByText('No file is open').waitFor();
    });
  });

  test('is used by keys alone', async () => {
    await withPage(fixture.browser, bridge.url, { colorScheme: 'dark' }, async (page) => {
      await page.getByRole('treeitem', { name: 'shape' }).focus();
      for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
      const editor = editorOf(page, 'shape/shape.go');
      await editor.waitFor();
      assert.ok(await editor.evaluate((node) => node === document.activeElement));
      await page.keyboard.press('F6');
      assert.equal(await focusedIn(page), 'foot');
      await page.keyboard.press('F6');
      assert.equal(await focusedIn(page), 'traffic');
      await page.keyboard.press('Shift+F6');
      await page.keyboard.press('Shift+F6');
      assert.ok(await editor.evaluate((node) => node === document.activeElement));

      const splitter = page.getByRole('separator', { name: 'Width of the traffic' });
      const widthPx = async (): Promise<number> => (await page.locator('#traffic').boundingBox())!.width;
      const beforePx = await widthPx();
      await splitter.focus();
      await page.keyboard.press('ArrowLeft');
      assert.equal(await widthPx(), beforePx + 16);
      await page.keyboard.press('Enter');
      assert.equal(await widthPx(), beforePx);

      await page.keyboard.press('F1');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Theme: system' }).press('Enter');
      assert.equal(await page.evaluate(() => document.documentElement.style.colorScheme), 'light');
      await page.reload();
      await page.getByRole('button', { name: 'Theme: light' }).waitFor(); // and the token was kept
      await page.getByRole('treeitem', { name: 'shape' }).waitFor();
    });
  });

  test('refuses another token, Origin and Host', async () => {
    await withPage(fixture.browser, `${bridge.origin}/?token=wrong`, { expected: /40[13]|BridgeError/ }, async (page) => {
      await page.getByText('The page could not start').waitFor();
      await picture(page, 'refused');
    });
    const upgrade = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    const socket = `${bridge.origin}/ws?token=`;
    assert.equal(await statusOf(`${socket}${bridge.token}`, { ...upgrade, Origin: 'https://evil.example' }), 403);
    assert.equal(await statusOf(`${socket}${bridge.token}`, { ...upgrade, Origin: 'null' }), 403);
    assert.equal(await statusOf(bridge.url, { Host: 'evil.example' }), 403);
    assert.equal(await statusOf(`${bridge.origin}/files/`, {}), 401);
    assert.equal(await statusOf(`${socket}wrong`, upgrade), 401);
  });

  test('has a scratch document and the built-in server where no folder is served', async () => {
    const bridge = await fixture.serve();
    await withPage(fixture.browser, bridge.url, { colorScheme: 'dark' }, async (page) => {
      await editorOf(page, 'scratch.json').click();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type('x');
      await page.locator('.problem').first().waitFor();
      await picture(page, 'scratch');
      await page.keyboard.press('Backspace');
      await page.getByText('No problems').waitFor();
    });
  });
});

/** Waits until the server holds that text, and returns what else it counted. */
async function heldByServer(page: Page, text: string): Promise<{ changes: number; version: number }> {
  const shown = page.locator('.problem .text', { hasText: JSON.stringify({ text }).slice(1, -1) });
  await shown.waitFor();
  return JSON.parse((await shown.textContent())!) as { changes: number; version: number };
}

/** Waits until the bridge has that many sessions. */
async function sessionsOf(bridge: Bridge, want: number): Promise<void> {
  for (;;) {
    const { sessions } = (await (await fetch(`${bridge.origin}/healthz`)).json()) as { sessions: number };
    if (sessions === want) return;
  }
}

const focusedIn = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.closest('[data-pane]')?.id);

/** The status of a request that a browser would not send. */
function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('upgrade', (response, socket) => {
        socket.destroy();
        resolve(response.statusCode!);
      })
      .on('error', reject);
  });
}

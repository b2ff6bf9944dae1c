// The page while it begins, on a network that fails it, and before a bridge that does not know it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import type { Page } from 'playwright-core';

import { noChromium } from '../../test/chromium.js';
import { type Bridge, CuttingProxy } from './bridge.js';
import { linkState, picture, withPage } from './browser.js';
import { Fixture } from './fixture.js';
import { pageFolder } from './places.js';

describe('the page while it begins', { skip: noChromium, timeout: 120_000 }, () => {
  const fixture = new Fixture();
  let flags: string[];
  let bridge: Bridge;
  before(async () => {
    const root = fixture.folder('begin', { 'notes.txt': 'first\n' });
    flags = ['--root', root, '--', process.execPath, join(pageFolder, 'test', 'recorder.mjs')];
    bridge = await fixture.serve(...flags);
  });

  for (const [path, says] of [
    ['/config.json', 'No answer from the bridge yet, trying again'],
    ['/parley.wasm', 'No protocol module yet, trying again'],
  ] as const) {
    test(`${path} is asked for again until it is had, at once with Enter`, async () => {
      let isCut = true;
      const prepare = (page: Page): Promise<unknown> =>
        page.route(`**${path}`, (route) => (isCut ? route.abort('connectionreset') : route.continue()));
      await withPage(fixture.browser, bridge.url, { prepare, expected: /ERR_CONNECTION_RESET/ }, async (page) => {
        await linkState(page).filter({ hasText: says }).waitFor();
        const retry = page.getByRole('button', { name: 'Retry now' });
        await retry.waitFor();
        assert.ok(await retry.evaluate((button) => button === document.activeElement));
        await picture(page, `without${path.replace('/', '-')}`);
        isCut = false;
        await page.keyboard.press('Enter');
        await linkState(page)
          .filter({ hasText: /^node$/ })
          .waitFor();
      });
    });
  }

  test('what will not be had by asking again is not asked for again', async () => {
    let asked = 0;
    const prepare = (page: Page): Promise<unknown> =>
      page.route('**/parley.wasm', (route) => {
        asked++;
        return route.fulfill({ status: 404, body: 'no module in this build' });
      });
    await withPage(fixture.browser, bridge.url, { prepare, expected: /404/ }, async (page) => {
      await linkState(page).filter({ hasText: 'no module in this build' }).waitFor();
      assert.equal(asked, 1);
    });
  });

  test('another bridge in the place of the one that is known says so at once', async () => {
    const proxy = await CuttingProxy.start(bridge.url);
    try {
      await withPage(fixture.browser, proxy.through(bridge.url), { expected: /WebSocket connection|401/ }, async (page) => {
        await linkState(page)
          .filter({ hasText: /^node$/ })
          .waitFor();
        const sockets: string[] = [];
        page.on('websocket', (socket) => sockets.push(socket.url()));
        proxy.target = (await fixture.serve(...flags)).url;
        proxy.cut();
        await linkState(page)
          .filter({ hasText: 'refused: the token is missing or wrong. Open the address that parley serve prints.' })
          .waitFor();
        await picture(page, 'refused-again');
        assert.equal(sockets.length, 1);
        assert.equal(await page.locator('#link button').isVisible(), false);
      });
    } finally {
      proxy.stop();
    }
  });
});

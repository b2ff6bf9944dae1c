// The page before a server in a sandbox: parley peer lsp, compiled to WASI.

import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { before, describe, test } from 'node:test';

import { noChromium } from '../../test/chromium.js';
import { buildGuest, commandsBelow } from './bridge.js';
import { editorOf, linkState, openFile, picture, withPage } from './browser.js';
import { Fixture } from './fixture.js';

describe('the page with a server in a sandbox', { skip: noChromium, timeout: 300_000 }, () => {
  const fixture = new Fixture();
  let guest: string;
  let root: string;
  before(() => {
    guest = buildGuest();
    // From here on, so that go still finds its own: what is compiled of the guest is kept beside it.
    process.env.XDG_CACHE_HOME = dirname(guest);
    root = fixture.folder('data', { 'data.json': '[{"name": "two"}, {}]\n' });
  });

  test('shows problems, hovers and completes, and the process behind it is the sandbox', async () => {
    const granted = `--dir=${root}:/data:ro`;
    const bridge = await fixture.serve('--root', root, '--wasi', guest, '--dir', `${root}:/data:ro`, '--', 'peer', 'lsp');
    await withPage(fixture.browser, bridge.url, {}, async (page) => {
      await openFile(page, 'data.json');
      await linkState(page)
        .filter({ hasText: /^guest$/ })
        .waitFor({ timeout: 240_000 }); // the first start compiles the guest
      const command = ['sandbox', guest, granted, '--', 'peer', 'lsp'];
      assert.ok((await page.locator('#link').innerHTML()).includes(command.join(' ')));
      assert.deepEqual(
        commandsBelow(bridge.pid).map(([, ...args]) => args),
        [command],
      );

      await page.locator('.cm-line').getByText('two').hover();
      await page.locator('.cm-lsp-hover-tooltip', { hasText: 'string "two"' }).waitFor();
      await picture(page, 'sandbox');
      await editorOf(page, 'data.json').click();
      await page.keyboard.press('Control+Home');
      await page.keyboard.insertText('x');
      await page.locator('.problem').first().waitFor();
      await page.keyboard.press('Backspace');
      await page.getByText('No problems').waitFor();
      for (const key of ['End', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key); // into the braces
      await page.keyboard.press('Control+Space');
      await page.locator('.cm-tooltip-autocomplete li', { hasText: 'name' }).first().waitFor();
    });
  });

  test('says why a server that wants more memory than it may have was not started', async () => {
    const bridge = await fixture.serve('--wasi', guest, '--memory', '1MiB', '--', 'peer', 'lsp');
    await withPage(fixture.browser, bridge.url, {}, async (page) => {
      await linkState(page)
        .filter({ hasText: /server-exited: exit status 3: .*memory/ })
        .waitFor();
      await picture(page, 'refused-guest');
    });
  });
});

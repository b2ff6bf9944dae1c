// A capture in the page: opened with the keyboard and by dropping it, read, and left again.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import type { Page } from 'playwright-core';

import { noChromium } from '../../test/chromium.js';
import type { Bridge } from './bridge.js';
import { editorOf, linkState, openFile, picture, withPage } from './browser.js';
import { Fixture } from './fixture.js';
import { pageFolder, repository } from './places.js';

const methods = ['textDocument/hover', 'textDocument/completion', 'textDocument/definition', 'workspace/symbol'];

/** A session of an editor, in JSON lines: every request is answered, every fortieth with an error. */
function session(requests: number): string {
  const lines: ({ ms: number } & Record<string, unknown>)[] = [
    { from: 'capture', ms: 0, started: '2026-03-02T09:30:00Z', command: ['gopls', 'serve'] },
  ];
  for (let id = 1; id <= requests; id++) {
    const method = methods[id % methods.length]!;
    const uri = `file:///project/server/handler_${id % 7}.go`;
    const params = { textDocument: { uri }, position: { line: (id * 7) % 300, character: (id * 3) % 80 } };
    const message = { jsonrpc: '2.0', id, method, params };
    const ms = id * 250;
    const elapsedMs = 2 + ((id * 37) % 60) * (1 + (id % methods.length) * 3);
    const isError = id % 40 === 0;
    const outcome = isError
      ? { error: { code: -32801, message: 'content modified' } }
      : { result: { contents: { kind: 'markdown', value: 'func Handle(ctx context.Context) error' } } };
    const answer = { jsonrpc: '2.0', id, ...outcome };
    lines.push(
      { from: 'client', ms, kind: 'request', method, id, bytes: JSON.stringify(message).length, message },
      {
        from: 'server',
        ms: ms + elapsedMs,
        kind: isError ? 'error' : 'result',
        method,
        id,
        bytes: JSON.stringify(answer).length,
        message: answer,
      },
    );
  }
  lines.sort((a, b) => a.ms - b.ms);
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"from":"server","ms`;
}

describe('a capture in the page', { skip: noChromium, timeout: 180_000 }, () => {
  const fixture = new Fixture();
  let bridge: Bridge;
  before(async () => {
    const root = fixture.folder('texts', { 'notes.txt': 'first\n' });
    bridge = await fixture.serve('--root', root, '--', process.execPath, join(pageFolder, 'test', 'recorder.mjs'));
  });

  const total = (page: Page, text: RegExp) => page.locator('#traffic .total', { hasText: text });

  async function started(page: Page): Promise<void> {
    await linkState(page)
      .filter({ hasText: /^node$/ })
      .waitFor();
  }

  test('is opened with the keyboard, shown read-only, and left for the session, which went on', async () => {
    await withPage(fixture.browser, bridge.url, {}, async (page) => {
      await started(page);
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Open capture…' }).focus();
      await page.keyboard.press('Enter');
      await (await chooser).setFiles({ name: 'editor.jsonl', mimeType: '', buffer: Buffer.from(session(400)) });
      await total(page, /^800$/).waitFor();
      const about = page.locator('#traffic .about');
      assert.match(
        (await about.textContent()) ?? '',
        /editor\.jsonl.*2026-03-02 09:30:00Z · 10\d\.\d s · gopls serve.*the last line is torn/,
      );
      await page.locator('#traffic .capture canvas').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Clear' }).isHidden(), true);

      await page.keyboard.press('ArrowDown'); // the list has the focus, and its first message is selected
      await page.locator('#detail h3', { hasText: 'textDocument/completion' }).waitFor();
      await page.locator('#detail', { hasText: 'answered in' }).waitFor();
      await picture(page, 'capture');
      await page.getByRole('searchbox').fill('error');
      await total(page, /^10 of 800$/).waitFor();

      await openFile(page, 'notes.txt');
      await editorOf(page, 'notes.txt').click();
      await page.keyboard.type('more ');
      await total(page, /^10 of 800$/).waitFor();
      await page.getByRole('searchbox').fill('');
      await page.getByRole('button', { name: 'Back to the session' }).press('Enter');
      await page.locator('.message .method', { hasText: 'textDocument/didChange' }).first().waitFor();
      assert.equal(await about.count(), 0);
      assert.equal(
        await page.getByRole('button', { name: 'Open capture…' }).evaluate((button) => button === document.activeElement),
        true,
      );
    });
  });

  test('is opened where it is dropped; what is none is refused, and says why', async () => {
    await withPage(fixture.browser, bridge.url, {}, async (page) => {
      await started(page);
      const drop = async (name: string, content: Uint8Array): Promise<void> => {
        const files = await page.evaluateHandle(
          ([name, content]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([Uint8Array.from(content)], name));
            return transfer;
          },
          [name, [...content]] as const,
        );
        await page.dispatchEvent('#traffic .list', 'drop', { dataTransfer: files });
      };
      await drop('holiday.png', Buffer.from('\x89PNG\r\n'));
      await page.locator('.notice', { hasText: 'holiday.png cannot be opened: it is neither' }).waitFor();
      const capture = readFileSync(join(repository, 'internal', 'capture', 'testdata', 'session.cap'));
      await drop('session.cap', capture);
      await total(page, /^3$/).waitFor();
      await page.locator('#traffic .flaw', { hasText: '9 bytes passed and were not recorded' }).waitFor();
      await drop('torn.cap', capture.subarray(0, -3));
      await page.locator('#traffic .flaw', { hasText: 'the last record is torn' }).waitFor();
      await drop('empty.cap', capture.subarray(0, 8));
      await page.getByText('No message in this capture').waitFor();
    });
  });
});

// Pages in headless Chromium, which notice what went wrong in them.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, Page } from 'playwright-core';

import { repository } from './places.js';

/** How a page is opened. */
export interface Opening {
  colorScheme?: 'light' | 'dark';
  /** Lines of the console that the test means to cause. */
  expected?: RegExp;
  /** Runs before the page is fetched. */
  prepare?: (page: Page) => Promise<unknown>;
}

/** Opens a page, hands it to use, and fails for every exception, error on the console and breach of the policy in it. */
export async function withPage(
  browser: Browser,
  url: string,
  { colorScheme = 'light', expected, prepare }: Opening,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 860 }, colorScheme });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(`exception: ${error.stack}`));
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type()) && !expected?.test(line.text())) wrong.push(`console: ${line.text()}`);
  });
  await page.addInitScript(() =>
    addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    ),
  );
  try {
    await prepare?.(page);
    await page.goto(url);
    await use(page);
    assert.deepEqual(wrong, []);
  } catch (error) {
    await picture(page, 'failed');
    if (wrong.length > 0) throw new Error(wrong.join('\n'), { cause: error });
    throw error;
  } finally {
    await context.close();
  }
}

/** Keeps a picture to be looked at; nothing compares it. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = join(repository, 'bindings', 'js', 'build', 'pictures');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

// What the tests do with a page, in a person's words.

export async function openFile(page: Page, path: string): Promise<void> {
  const folders = path.split('/').slice(0, -1);
  for (const folder of folders) {
    const row = page.getByRole('treeitem', { name: folder, exact: true });
    if ((await row.getAttribute('aria-expanded')) === 'false') await row.click();
  }
  await page.getByRole('treeitem', { name: path.split('/').at(-1)!, exact: true }).click();
  await editorOf(page, path).waitFor();
}

export const editorOf = (page: Page, path: string) => page.getByRole('textbox', { name: path, exact: true });

export const linkState = (page: Page) => page.locator('#link .state');

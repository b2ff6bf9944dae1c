// The page before gopls: everything that an editor does with a language server.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import { noChromium } from '../../test/chromium.js';
import { type Bridge, goplsCommand, killChildren, noGopls } from './bridge.js';
import { editorOf, linkState, openFile, picture, withPage } from './browser.js';
import { Fixture } from './fixture.js';

const project: Record<string, string> = {
  'go.mod': 'module example.com/proj\n\ngo 1.26\n',
  'main.go': `// Command proj says hello to whoever is named.
package main

import (
	"fmt"
	"os"

	"example.com/proj/shape"
)

// greet returns what is said to name.
func greet(name string) string {
	return fmt.Sprintf("hello, %s", name)
}

func main() {
	for _, name := range os.Args[1:] {
		fmt.Println(greet(name))
	}
	square := shape.Square{Side: 3}
	fmt.Println("area:", square.Area())
}
`,
  'shape/shape.go': `// Package shape has shapes.
package shape

// Square has four sides of one length.
type Square struct {
	Side float64
}

// Area returns the area of s.
func (s Square) Area() float64 { return s.Side * s.Side }
`,
};

describe('the page with gopls', { skip: noChromium || noGopls, timeout: 180_000 }, () => {
  const fixture = new Fixture();
  let root: string;
  let bridge: Bridge;
  before(async () => {
    root = fixture.folder('hello', project);
    bridge = await fixture.serve('--root', root, '--', ...goplsCommand);
  });

  test('renames in files that are not open too', async () => {
    await withPage(fixture.browser, bridge.url, {}, async (page) => {
      await linkState(page)
        .filter({ hasText: /^gopls$/ })
        .waitFor();
      await openFile(page, 'shape/shape.go');
      await page.locator('.cm-line', { hasText: 'type Square' }).getByText('Square').click();
      await page.keyboard.press('F2');
      await page.getByRole('textbox', { name: 'New name' }).fill('Box');
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name: 'main.go (not saved)' }).press('Enter'); // the pointer rests on a tooltip
      await page.locator('.cm-line', { hasText: 'shape.Box{Side: 3}' }).waitFor();
    });
  });

  test('shows problems, hovers, completes, jumps into another file, renames in both, formats and saves', async () => {
    await withPage(fixture.browser, bridge.url, { colorScheme: 'dark' }, async (page) => {
      await linkState(page)
        .filter({ hasText: /^gopls$/ })
        .waitFor();
      assert.equal(new URL(page.url()).search, ''); // the token is out of sight
      await openFile(page, 'main.go');
      await editorOf(page, 'main.go').click();
      await page.keyboard.press('Control+End');
      await page.keyboard.insertText('\nfunc broken() int {\n\treturn "text"\n}\n');
      const problem = page.locator('.problem', { hasText: 'cannot use "text"' });
      await problem.waitFor();
      await page.locator('.cm-lintRange-error').waitFor();

      await page.locator('.cm-line', { hasText: 'func greet' }).getByText('greet').hover();
      await page.locator('.cm-lsp-hover-tooltip', { hasText: 'greet returns what is said to name.' }).waitFor();
      await picture(page, 'dark');
      await page.locator('.message.result', { hasText: 'textDocument/hover' }).last().click();
      await page.locator('#detail', { hasText: 'greet returns' }).waitFor();

      await problem.click();
      assert.equal(await page.locator('#status .place').textContent(), 'Line 24, column 9');
      await page.keyboard.press('End');
      await page.keyboard.insertText(' + sha');
      await page.keyboard.press('Control+Space');
      await page.locator('.cm-tooltip-autocomplete li', { hasText: 'shape' }).first().waitFor();
      await page.emulateMedia({ colorScheme: 'light' });
      await picture(page, 'light');
      await page.keyboard.press('Escape');
      for (const _ of '"text" + sha') await page.keyboard.press('Backspace');
      await page.keyboard.type('0');
      await problem.waitFor({ state: 'detached' });

      await page.getByText('Area', { exact: true }).click();
      await page.keyboard.press('F12');
      await editorOf(page, 'shape/shape.go').waitFor();
      assert.equal(await page.locator('#status .place').textContent(), 'Line 10, column 17');

      await page.keyboard.press('F2');
      await page.getByRole('textbox', { name: 'New name' }).fill('Surface');
      await page.keyboard.press('Enter');
      await page.locator('.cm-line', { hasText: 'Surface() float64' }).waitFor();
      await page.keyboard.press('Control+s');
      await page.locator('#status .standing', { hasText: /^Saved$/ }).waitFor();
      assert.match(readFileSync(join(root, 'shape', 'shape.go'), 'utf8'), /Surface\(\) float64/);

      await page.getByRole('tab', { name: /main.go/ }).click();
      await page.locator('.cm-line', { hasText: 'square.Surface()' }).waitFor();
      await page.keyboard.press('Control+End');
      await page.keyboard.insertText('\nvar   spaced   =   1\n');
      await page.keyboard.press('Shift+Alt+f');
      await page.locator('.cm-line', { hasText: 'var spaced = 1' }).waitFor();
    });
  });

  test('says that the server was killed, and starts another that knows the open files', async () => {
    await withPage(fixture.browser, bridge.url, {}, async (page) => {
      await openFile(page, 'main.go');
      await editorOf(page, 'main.go').click();
      await page.keyboard.press('Control+End');
      await page.keyboard.insertText('\nvar wrong int = "text"\n');
      const problem = page.locator('.problem', { hasText: 'cannot use "text"' });
      await problem.waitFor();
      killChildren(bridge.pid);
      await linkState(page)
        .filter({ hasText: /server-exited.*killed/ })
        .waitFor();
      await picture(page, 'killed');
      await page.getByRole('button', { name: 'Restart server' }).click();
      await problem.waitFor({ state: 'detached' });
      await problem.waitFor();
      await linkState(page)
        .filter({ hasText: /^gopls$/ })
        .waitFor();
    });
  });
});

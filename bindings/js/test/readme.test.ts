// What the README shows is run as it is printed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tools = join(root, '..', '..', 'build', 'bin');
const hasGopls = existsSync(join(tools, 'gopls'));
const whyNot = hasGopls || process.env.CI === 'true' ? false : 'no build/bin/gopls; make deps builds it';

test('the five lines of the README print what it says', { skip: whyNot }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-readme-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const installed = join(folder, 'node_modules', '@parley', 'core');
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  symlinkSync(join(root, 'build', 'src'), join(installed, 'dist'));
  const [, lines = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  writeFileSync(join(folder, 'five.mjs'), lines);
  const { stdout, stderr, status } = spawnSync(process.execPath, ['five.mjs'], {
    cwd: folder,
    env: { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH}` },
    encoding: 'utf8',
  });
  assert.deepEqual({ stdout, stderr, status }, { stdout: 'gopls\n', stderr: '', status: 0 });
});

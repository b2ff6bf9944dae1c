// The bundle that is committed is the one that these sources and packages give.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { pageFolder, repository } from './places.js';

test('the committed bundle is what the sources give, byte for byte', () => {
  const fresh = mkdtempSync(join(tmpdir(), 'parley-page-'));
  try {
    const { status, stderr } = spawnSync(process.execPath, [join(pageFolder, 'build.mjs'), fresh], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const committed = join(repository, 'host', 'bridge', 'page', 'dist');
    assert.deepEqual(filesOf(committed), filesOf(fresh), 'npm --prefix bindings/js/page run build');
    for (const file of filesOf(fresh)) {
      const isEqual = readFileSync(join(committed, file)).equals(readFileSync(join(fresh, file)));
      assert.ok(isEqual, `${file} is stale: npm --prefix bindings/js/page run build`);
    }
  } finally {
    rmSync(fresh, { recursive: true });
  }
});

test('the page has no script and no style of its own in its markup', () => {
  const html = readFileSync(join(pageFolder, 'static', 'index.html'), 'utf8');
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
});

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

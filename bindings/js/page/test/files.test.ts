// Names of files, as the bridge, the server and the page spell them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Text } from '@codemirror/state';

import { Bridge } from '../src/access.js';
import { offsetOf } from '../src/editor/position.js';
import { languageIdOf } from '../src/editor/languages.js';
import { FileStore } from '../src/files/store.js';

test('a file has one path, however its URI is spelled', () => {
  const store = new FileStore(new Bridge(''), 'file:///home/x/my%20code');
  assert.equal(store.uriOf('a b/#1?.go'), 'file:///home/x/my%20code/a%20b/%231%3F.go');
  for (const path of ['main.go', 'a b/#1?.go', 'ü/100%.txt', 'a+b@c.go']) assert.equal(store.pathOf(store.uriOf(path)), path);
  assert.equal(store.pathOf('file:///home/x/my code/main.go'), 'main.go');
  assert.equal(store.pathOf('file:///home/x/my%20code/%6Dain.go'), 'main.go');
  for (const uri of ['file:///home/x/my%20code2/main.go', 'file:///usr/lib/go/fmt.go', 'https://x/', '']) {
    assert.equal(store.pathOf(uri), undefined, uri);
  }
});

test('a position of the server is inside the text, whatever it says', () => {
  const doc = Text.of(['one', 'two']);
  const rows: [line: number, character: number, offset: number][] = [
    [0, 0, 0],
    [1, 2, 6],
    [0, 99, 3],
    [9, 0, 7],
    [-1, 5, 0],
    [0, -4, 0],
    [Number.NaN, 1, 0],
    [1, Number.NaN, 4],
    [0.9, 1.9, 1],
  ];
  for (const [line, character, offset] of rows) assert.equal(offsetOf(doc, { line, character }), offset, `${line}:${character}`);
});

test('a language is known by the end of a name', () => {
  const rows = {
    'a/main.go': 'go',
    'go.mod': 'go.mod',
    'X.JSON': 'json',
    constructor: 'plaintext',
    '.gitignore': 'plaintext',
    'a.tsx': 'typescriptreact',
  };
  for (const [path, id] of Object.entries(rows)) assert.equal(languageIdOf(path), id, path);
});

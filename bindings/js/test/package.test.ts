// The package as npm would pack it: every entry is there, and everything that it exports is explained.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Conditions = string | { [condition: string]: Conditions };

/** The files that an entry may lead to, and the conditions on the way to each. */
function* targets(entry: Conditions, path: string[] = []): Generator<[file: string, conditions: string[]]> {
  if (typeof entry === 'string') return yield [entry, path];
  for (const [condition, next] of Object.entries(entry)) yield* targets(next, [...path, condition]);
}

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, Conditions> };

test('npm packs every file that an entry names, types first, and no more than dist', () => {
  const build = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, encoding: 'utf8' });
  assert.equal(build.status, 0, build.stdout + build.stderr);
  const pack = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(pack.status, 0, pack.stderr);
  const [{ files }] = JSON.parse(pack.stdout) as [{ files: { path: string; size: number }[] }];
  const sizes = new Map(files.map(({ path, size }) => [`./${path}`, size]));
  for (const entry of Object.values(exports)) {
    for (const [file, conditions] of targets(entry)) {
      assert.ok((sizes.get(file) ?? 0) > 0, `${file} is not packed`);
      assert.equal(file.endsWith('.d.ts'), conditions.at(-1) === 'types', file);
    }
  }
  const ordered = (conditions: Conditions): void => {
    if (typeof conditions === 'string') return;
    const names = Object.keys(conditions);
    if (names.includes('types')) assert.equal(names[0], 'types');
    Object.values(conditions).forEach(ordered);
  };
  Object.values(exports).forEach(ordered);
  assert.ok((sizes.get('./dist/parley.wasm') ?? 0) > 1 << 20);
  const outside = [...sizes.keys()].filter((path) => !/^\.\/(dist\/|LICENSE$|README\.md$|package\.json$)/.test(path));
  assert.deepEqual(outside, []);
});

test('every exported name, and every public method of one, has a doc comment', () => {
  const entries = [...new Set(Object.values(exports).flatMap((entry) => [...targets(entry)]))]
    .map(([file]) => file)
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => join(root, file.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts')));
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const silent = new Set<string>();
  for (const entry of entries) {
    const file = program.getSourceFile(entry);
    assert.ok(file, entry);
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(file)!)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      for (const name of undocumented(symbol, checker)) silent.add(name);
    }
  }
  assert.deepEqual([...silent].sort(), []);
});

/** symbol itself, and its methods where it is a class. */
function* undocumented(symbol: ts.Symbol, checker: ts.TypeChecker): Generator<string> {
  if (symbol.getDocumentationComment(checker).length === 0) yield symbol.name;
  const isPublic = (member: ts.Symbol): boolean =>
    (member.declarations ?? []).every(
      (of) =>
        !(ts.getCombinedModifierFlags(of) & ts.ModifierFlags.Private) &&
        !ts.isPrivateIdentifier(ts.getNameOfDeclaration(of) ?? of),
    );
  if (!(symbol.flags & ts.SymbolFlags.Class)) return;
  for (const [name, member] of symbol.members ?? []) {
    const isMethod = (member.flags & (ts.SymbolFlags.Method | ts.SymbolFlags.Accessor)) !== 0;
    if (isMethod && isPublic(member) && member.getDocumentationComment(checker).length === 0)
      yield `${symbol.name}.${String(name)}`;
  }
}

// build.mjs            bundles the page into host/bridge/page/dist, which package bridge embeds
// build.mjs FOLDER     bundles it into another folder
// build.mjs --tests    checks the types, and bundles the tests into ../build/page
//
// The same sources and packages give the same bytes, so that a test can hold the committed bundle.
// esbuild and TypeScript are those of the folder above.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const page = fileURLToPath(new URL('.', import.meta.url));
const bindings = join(page, '..');
const common = {
  absWorkingDir: bindings,
  tsconfig: 'page/tsconfig.json',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
};

if (process.argv[2] === '--tests') await buildTests(join(bindings, 'build', 'page'));
else await buildPage(process.argv[2] ?? join(bindings, '..', '..', 'host', 'bridge', 'page', 'dist'));

async function buildPage(dist) {
  const assets = join(dist, 'assets');
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  copyFileSync(join(page, 'static', 'index.html'), join(dist, 'index.html'));
  copyFileSync(join(page, 'static', 'icon.svg'), join(assets, 'icon.svg'));
  const { metafile } = await build({
    ...common,
    entryPoints: { page: 'page/src/main.ts' },
    outdir: assets,
    minify: true,
    legalComments: 'none', // LICENSES.txt has them whole
    metafile: true,
  });
  writeFileSync(join(assets, 'LICENSES.txt'), licenses(Object.keys(metafile.inputs)));
}

async function buildTests(out) {
  const tsc = join(bindings, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(page, 'tsconfig.json')], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  rmSync(out, { recursive: true, force: true });
  const tests = readdirSync(join(page, 'test')).filter((name) => name.endsWith('.test.ts'));
  await build({
    ...common,
    entryPoints: tests.map((name) => `page/test/${name}`),
    outdir: out,
    platform: 'node',
    external: ['playwright-core'],
  });
}

/** The licences of the packages that are in the bundle. */
function licenses(inputs) {
  const folders = inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(bindings, folder, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})\n\n${licenseOf(join(bindings, folder))}\n`;
  });
  return `The page contains code of these packages.\n\n${texts.join(`\n${'-'.repeat(72)}\n\n`)}`;
}

function licenseOf(folder) {
  const name = readdirSync(folder).find((file) => /^licen[cs]e(\.(md|txt))?$/i.test(file));
  if (name === undefined) throw new Error(`${folder} has no licence file`);
  return readFileSync(join(folder, name), 'utf8').trim();
}

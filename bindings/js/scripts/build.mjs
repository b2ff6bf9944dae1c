// build.mjs            compiles src into dist, with the module as parley.wasm beside it
// build.mjs FOLDER     compiles it into another folder
// build.mjs --tests    compiles src and test into build instead
//
// PARLEY_WASM names another module than the published one.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const published = join(root, '..', '..', 'wasm', 'parley.wasm');
const module = process.env.PARLEY_WASM ?? published;
const forTests = process.argv.includes('--tests');

const compiled = forTests ? join(root, 'build') : resolve(process.argv[2] ?? join(root, 'dist'));
const sources = forTests ? join(compiled, 'src') : compiled;

rmSync(compiled, { recursive: true, force: true });
mkdirSync(sources, { recursive: true });
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const project = join(root, forTests ? 'tsconfig.test.json' : 'tsconfig.json');
const { status } = spawnSync(process.execPath, [tsc, '-p', project, '--outDir', compiled], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

copyFileSync(module, join(sources, 'parley.wasm'));
const base64 = readFileSync(module).toString('base64');
writeFileSync(join(sources, 'parley.wasm.base64.js'), `export default '${base64}';\n`);
copyFileSync(join(root, 'src', 'parley.wasm.base64.d.ts'), join(sources, 'parley.wasm.base64.d.ts'));

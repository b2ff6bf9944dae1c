// Bundles the bindings, with the committed module beside the bundle, into bindings/js/build/benchmarks.

import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const bindings = new URL('../../bindings/js/', import.meta.url);
const { buildSync } = createRequire(new URL('package.json', bindings))('esbuild');
const folder = new URL('build/benchmarks/', bindings);
buildSync({
  entryPoints: [fileURLToPath(new URL('src/node.ts', bindings))],
  outfile: fileURLToPath(new URL('node.js', folder)),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
});
copyFileSync(new URL('../../wasm/parley.wasm', import.meta.url), new URL('parley.wasm', folder));

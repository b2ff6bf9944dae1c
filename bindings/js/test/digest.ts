// Prints the lines of the two homes of these bindings: a name and the digest of all observations.

import { init } from '../src/node.js';
import { noChromium } from './chromium.js';
import { withPage } from './served-page.js';
import { gaps, vectorFiles } from './conformance/files.js';
import { digest, parseAll } from './conformance/home.js';

console.log('node', digest(await init(), parseAll(vectorFiles()), gaps()).total);
if (noChromium === false) {
  const known = [...gaps()];
  const { total } = await withPage((page) =>
    page.evaluate(([files, names]) => playDigest(files, names), [vectorFiles(), known] as const),
  );
  console.log('chromium', total);
} else {
  console.error(`chromium is skipped: ${noChromium}`);
}

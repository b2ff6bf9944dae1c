// What the page of the fourth home runs: the vectors against the module that the page has streamed.

import { init } from '../src/browser.js';
import { digest, mismatch, parseAll } from './conformance/home.js';

/** Called by the test from outside. */
declare global {
  var playDigest: (files: Record<string, string>, gaps: string[]) => Promise<{ text: string; total: string }>;
  var playCuts: (files: Record<string, string>, gaps: string[]) => Promise<string>;
}

globalThis.playDigest = async (files, gaps) => digest(await init(), parseAll(files), new Set(gaps));

globalThis.playCuts = async (files, gaps) => {
  const engine = await init();
  const vectors = parseAll(files).filter(({ name }) => !gaps.includes(name));
  return vectors.map((vector) => mismatch(engine, vector) ?? '').join('');
};

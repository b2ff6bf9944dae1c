// What the page of the fourth home runs, on the module that it has streamed.

import { init, Peer, portTransport, Profile, Role } from '../src/browser.js';
import { digest, mismatch, parseAll } from './conformance/home.js';

/** Called by the test from outside. */
declare global {
  var playDigest: (files: Record<string, string>, gaps: string[]) => Promise<{ text: string; total: string }>;
  var playCuts: (files: Record<string, string>, gaps: string[]) => Promise<string>;
  var callWorker: () => Promise<{ values: unknown[]; failure: string; end: string }>;
}

globalThis.playDigest = async (files, gaps) => digest(await init(), parseAll(files), new Set(gaps));

globalThis.playCuts = async (files, gaps) => {
  const engine = await init();
  const vectors = parseAll(files).filter(({ name }) => !gaps.includes(name));
  return vectors.map((vector) => mismatch(engine, vector) ?? '').join('');
};

/** Calls a server in a worker: values of many sizes, a call that runs out of time, and the end. */
globalThis.callWorker = async () => {
  const worker = new Worker('/worker.js', { type: 'module' });
  const peer = new Peer(await init(), { profile: Profile.Plain, role: Role.Client }).connect(portTransport(worker));
  const values = await Promise.all([1, 'é😀', 'x'.repeat(1 << 20), { a: null }].map((value) => peer.call('echo', [value])));
  const failure = await peer.call('wait', [], { timeoutMs: 1 }).catch(String);
  return { values, failure: String(failure), end: String(await peer.close()) };
};

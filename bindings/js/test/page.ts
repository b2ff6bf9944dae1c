// What the page of the fourth home runs, on the module that it has streamed.

import { init, Peer, portTransport, Profile, Role, webSocketTransport, type Transport } from '../src/browser.js';
import { digest, mismatch, parseAll } from './conformance/home.js';

/** What a page saw of a server. */
interface Talk {
  values: unknown[];
  failure: string;
  end: string;
}

/** Called by the test from outside. */
declare global {
  var playDigest: (files: Record<string, string>, gaps: string[]) => Promise<{ text: string; total: string }>;
  var playCuts: (files: Record<string, string>, gaps: string[]) => Promise<string>;
  var callWorker: () => Promise<Talk>;
  var callSocket: (binary: boolean) => Promise<Talk & { told: unknown }>;
}

globalThis.playDigest = async (files, gaps) => digest(await init(), parseAll(files), new Set(gaps));

globalThis.playCuts = async (files, gaps) => {
  const engine = await init();
  const vectors = parseAll(files).filter(({ name }) => !gaps.includes(name));
  return vectors.map((vector) => mismatch(engine, vector) ?? '').join('');
};

globalThis.callWorker = async () => {
  const peer = await client(portTransport(new Worker('/worker.js', { type: 'module' })));
  return talk(peer);
};

/** Calls the server that serves the page, which must get notifications in their order. */
globalThis.callSocket = async (binary) => {
  const address = new URL(binary ? '/binary' : '/text', location.href.replace(/^http/, 'ws'));
  const peer = await client(webSocketTransport(new WebSocket(address), { binary }));
  for (let i = 0; i < 100; i++) await peer.notify('tell', [i, 'x'.repeat(1 << 16)]);
  const [count, last] = await peer.call<[number, [number]]>('count');
  return { told: [count, last[0]], ...(await talk(peer)) };
};

const client = async (transport: Transport): Promise<Peer> =>
  new Peer(await init(), { profile: Profile.Plain, role: Role.Client }).connect(transport);

/** Calls with values of many sizes, a call that runs out of time, and the end. */
async function talk(peer: Peer): Promise<Talk> {
  const values = await Promise.all([1, 'é😀', 'x'.repeat(1 << 20), { a: null }].map((value) => peer.call('echo', [value])));
  const failure = await peer.call('wait', [], { timeoutMs: 1 }).catch(String);
  return { values, failure: String(failure), end: String(await peer.close()) };
}

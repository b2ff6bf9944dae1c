// The WebSocket transport over real sockets, text and bytes; what only a fake shows is in transports.test.ts.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';

import { WebSocket } from 'ws';

import {
  init,
  Peer,
  Profile,
  Reason,
  Role,
  UsageError,
  webSocketTransport,
  type PeerOptions,
  type WebSocketLike,
  type WebSocketOptions,
} from '../src/node.js';
import { failsAs } from './fakes.js';
import { listen, session } from './socket-server.js';

interface Meeting {
  peer: Peer;
  near: WebSocket;
  far: WebSocket;
}

/** A client and the server's end of its socket, which serve turns into what it likes. */
async function meet(
  t: TestContext,
  serve: (socket: WebSocket) => unknown = session,
  options: WebSocketOptions = {},
  more: Partial<PeerOptions> = {},
): Promise<Meeting> {
  let arrived: (socket: WebSocket) => void;
  const arrival = new Promise<WebSocket>((resolve) => (arrived = resolve));
  const { url, end } = await listen((socket) => {
    void serve(socket);
    arrived(socket);
  });
  t.after(end);
  const near = new WebSocket(url);
  const peer = new Peer(await init(), { profile: Profile.Plain, role: Role.Client, ...more });
  peer.connect(webSocketTransport(near as WebSocketLike, options));
  t.after(() => peer.dispose());
  return { peer, near, far: await arrival };
}

for (const binary of [false, true]) {
  test(`calls and answers of all sizes, in order, as ${binary ? 'bytes' : 'text'}`, async (t) => {
    const { peer } = await meet(t, (socket) => session(socket, { binary }), { binary });
    const values = ['', 'é😀', { a: [null] }, 'x'.repeat(1 << 20), ...Array.from({ length: 200 }, (_, i) => i)];
    assert.deepEqual(await Promise.all(values.map((value) => peer.call('echo', [value]))), values);
    for (let i = 0; i < 500; i++) await peer.notify('tell', [i]);
    assert.deepEqual(await peer.call('count'), [500, [499]]);
    assert.equal(await peer.close(), undefined);
  });
}

test('a server that does not read makes the sender wait, and gets everything in the end', async (t) => {
  const { peer, near, far } = await meet(t);
  await peer.call('echo', [1]);
  far.pause();
  const text = 'x'.repeat(1 << 20);
  const count = 32;
  const sent = Array.from({ length: count }, (_, i) => peer.notify('tell', [i, text]));
  await sent[0];
  while (near.bufferedAmount <= 1 << 20) await new Promise(setImmediate); // the buffers of the system are full
  let isFlushed = false;
  const flushed = peer.flush().then(() => (isFlushed = true));
  assert.ok(near.bufferedAmount <= 4 << 20, `${near.bufferedAmount} bytes are kept by the socket`);
  assert.equal(isFlushed, false);
  far.resume();
  await Promise.all(sent);
  await flushed;
  assert.deepEqual(await peer.call('count'), [count, [count - 1, text]]);
});

test('fragments are one message, and too many of them are too large', async (t) => {
  const { peer, far } = await meet(t, () => undefined, {}, { limits: { frameBytesMax: 1000 } });
  const answer = once(far, 'message');
  const call = peer.call('m');
  await answer;
  for (const piece of ['{"jsonrpc":', '"2.0","id":1,', '"result":"whole"']) far.send(piece, { fin: false });
  far.send('}');
  assert.equal(await call, 'whole');
  for (let i = 0; i < 20; i++) far.send(' '.repeat(50), { fin: i === 19 });
  far.send(' '.repeat(1001));
  const why = await peer.closed;
  assert.equal(why?.reason, Reason.Violation);
});

test('the code and reason of an end are told; a clean one is none', async (t) => {
  for (const [end, want] of [
    [(far: WebSocket) => far.close(1011, 'out of cheese'), /closed with code 1011: out of cheese/],
    [(far: WebSocket) => far.terminate(), /closed with code 1006/],
    [(far: WebSocket) => far.close(1000), undefined],
    [(far: WebSocket) => far.close(), undefined],
  ] as const) {
    const { peer, far } = await meet(t, () => undefined);
    const call = peer.call('m');
    await once(far, 'message');
    end(far);
    await assert.rejects(call, (error) => failsAs(UsageError.Closed)(error) && (want?.test((error as Error).message) ?? true));
    const why = await peer.closed;
    if (want === undefined) assert.equal(why, undefined);
    else assert.match(why?.message ?? '', want);
    await assert.rejects(peer.notify('late'), failsAs(UsageError.Closed));
  }
});

test('nobody listens: the call says so', async () => {
  const { url, end } = await listen(() => undefined);
  await end();
  const peer = new Peer(await init(), { profile: Profile.Plain, role: Role.Client });
  peer.connect(webSocketTransport(new WebSocket(url) as WebSocketLike));
  await assert.rejects(
    peer.call('m'),
    (error) => failsAs(UsageError.Closed)(error) && /ECONNREFUSED/.test((error as Error).message),
  );
  assert.equal((await peer.closed)?.reason, Reason.ReadFailed);
});

test('a session is closed while its socket is still connecting', async (t) => {
  const { url, end } = await listen(() => undefined);
  t.after(end);
  const peer = new Peer(await init(), { profile: Profile.Plain, role: Role.Client });
  peer.connect(webSocketTransport(new WebSocket(url) as WebSocketLike));
  const call = peer.call('m').catch(failsAs(UsageError.Closed));
  await peer.close();
  assert.equal(await call, true);
});

test('a peer that leaves the closing handshake out is not waited for', async (t) => {
  const { peer, near, far } = await meet(t, session, { closeMs: 50 });
  await peer.call('echo', [1]);
  far.pause();
  assert.equal(await peer.close(), undefined);
  while (near.readyState !== WebSocket.CLOSED) await new Promise(setImmediate);
});

// Several messages in one frame (CALL-9), and the version that decides over them (MSG-8).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { init, Peer, Profile, RefusedError, Role, RPCError, UsageError } from '../src/node.js';
import { dial, failsAs, settled, Wire } from './fakes.js';

test('a batch is one frame, and each item has its own outcome', async () => {
  const { peer, wire, clock } = await dial();
  const [sum, seen, slow, failed] = peer.batch([
    { method: 'sum', params: [1, 2] },
    { method: 'seen', notification: true },
    { method: 'slow', timeoutMs: 100 },
    { method: 'fail', params: { a: 1 }, id: '"mine"' },
  ]) as [Promise<unknown>, Promise<unknown>, Promise<unknown>, Promise<unknown>];
  await settled();
  assert.equal(wire.written.length, 1);
  assert.deepEqual(wire.messages, [
    [
      { jsonrpc: '2.0', id: 1, method: 'sum', params: [1, 2] },
      { jsonrpc: '2.0', method: 'seen' },
      { jsonrpc: '2.0', id: 2, method: 'slow' },
      { jsonrpc: '2.0', id: 'mine', method: 'fail', params: { a: 1 } },
    ],
  ]);
  assert.equal(await seen, undefined);
  clock.pass(100);
  clock.runHops();
  await assert.rejects(slow, failsAs(UsageError.Timeout));
  wire.hear([
    { jsonrpc: '2.0', id: 'mine', error: { code: 7, message: 'no' } },
    { jsonrpc: '2.0', id: 1, result: 3 },
  ]);
  assert.equal(await sum, 3);
  await assert.rejects(failed, (error) => error instanceof RPCError && error.code === 7 && error.method === 'fail');
  await peer.dispose();
});

test('a signal gives up its own item, and the others go on', async () => {
  const { peer, wire } = await dial();
  const controller = new AbortController();
  const [a, b] = peer.batch([{ method: 'a', signal: controller.signal }, { method: 'b' }]);
  await settled();
  controller.abort();
  await assert.rejects(a!, failsAs(UsageError.Canceled));
  wire.hear({ jsonrpc: '2.0', id: 2, result: 'alone' });
  assert.equal(await b, 'alone');
  await peer.dispose();
});

test('a batch that is refused writes nothing, and every item says why', async () => {
  const { peer, wire } = await dial();
  assert.throws(() => peer.batch([]), RangeError);
  for (const [code, items] of [
    [UsageError.BadMethod, [{ method: 'a' }, { method: '' }]],
    [UsageError.BadParams, [{ method: 'a' }, { method: 'b', params: 7 }]],
    [UsageError.Timeout, [{ method: 'a' }, { method: 'b', timeoutMs: 0 }]],
    [
      UsageError.IDTaken,
      [
        { method: 'a', id: '5' },
        { method: 'b', id: '5.0' },
      ],
    ],
    [UsageError.Canceled, [{ method: 'a' }, { method: 'b', signal: AbortSignal.abort() }]],
  ] as const) {
    for (const outcome of await Promise.allSettled(peer.batch(items))) {
      assert.ok(outcome.status === 'rejected' && failsAs(code)(outcome.reason), `${code}: ${JSON.stringify(outcome)}`);
    }
  }
  await settled();
  assert.deepEqual(wire.written, []);
  await peer.dispose();
  const { peer: lsp } = await dial({ profile: Profile.LSP, role: Role.Client });
  await assert.rejects(Promise.all(lsp.batch([{ method: 'a' }])), failsAs(UsageError.Unsupported));
  await lsp.dispose();
});

test('a batch waits for room in the line of all, within its shortest budget', async () => {
  const { peer, wire, clock } = await dial({ limits: { outBytesMax: 50 } });
  wire.isStuck = true;
  void peer.notify('first', ['x'.repeat(100)]);
  void peer.notify('second', ['x'.repeat(100)]);
  const early = Promise.allSettled(peer.batch([{ method: 'a', timeoutMs: 10 }, { method: 'b' }]));
  const late = peer.batch([{ method: 'c' }, { method: 'd', notification: true }]);
  await settled();
  clock.pass(10);
  for (const outcome of await early) assert.ok(outcome.status === 'rejected' && failsAs(UsageError.Timeout)(outcome.reason));
  wire.release();
  assert.equal(await late[1], undefined);
  await settled();
  assert.deepEqual(
    wire.messages.flat().map(({ method }) => method),
    ['first', 'second', 'c', 'd'],
  );
  wire.hear({ jsonrpc: '2.0', id: wire.messages.flat()[2].id, result: 1 });
  assert.equal(await late[0], 1);
  await peer.dispose();
});

test('the negotiated version decides whether batches are served (MSG-8)', async () => {
  const { peer, wire } = await dial({ profile: Profile.MCP, role: Role.Server }, (p) => p.handle('ping', {}, () => ({})));
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 2, method: 'ping' },
  ];
  peer.setVersion('2025-03-26');
  wire.hear(batch);
  await settled();
  peer.setVersion('2025-06-18');
  wire.hear(batch);
  await settled();
  const [served, refused] = wire.messages;
  assert.deepEqual(
    served.map(({ result }: { result: unknown }) => result),
    [{}, {}],
  );
  assert.deepEqual([refused.id, refused.error.code], [null, -32600]);
  await peer.dispose();
});

test('a version is told to a session of profile MCP that lives', async () => {
  const refuses =
    (code: UsageError) =>
    (error: unknown): boolean =>
      error instanceof RefusedError && error.code === code;
  const { peer } = await dial();
  assert.throws(() => peer.setVersion('2025-06-18'), refuses(UsageError.Unsupported));
  await peer.dispose();
  assert.throws(() => peer.setVersion('2025-06-18'), refuses(UsageError.Closed));
  const unconnected = new Peer(await init(), { profile: Profile.MCP, role: Role.Client });
  assert.throws(() => unconnected.setVersion('2025-06-18'), refuses(UsageError.Closed));
  unconnected.connect(new Wire()).setVersion('2025-06-18');
  await unconnected.dispose();
});

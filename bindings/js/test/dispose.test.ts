// dispose rejects what is open, and nobody has to catch it.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { init, Peer, Profile, Role, UsageError } from '../src/node.js';
import { dial, failsAs, settled, Wire } from './fakes.js';

/** The rejections that nobody has caught, from now until the test ends. */
function uncaught(t: TestContext): unknown[] {
  const seen: unknown[] = [];
  const note = (error: unknown): void => void seen.push(error);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  return seen;
}

test('calls, batches, notifications and flushes, written or waiting for room', async (t) => {
  const unhandled = uncaught(t);
  const { peer, wire } = await dial({ limits: { outBytesMax: 50 } });
  wire.isStuck = true;
  const text = ['x'.repeat(100)];
  void peer.call('written', text);
  void peer.call('queued', text);
  for (const outcome of peer.batch([
    { method: 'waits', params: text },
    { method: 'waits', notification: true },
  ]))
    void outcome;
  void peer.notify('waits', text);
  void peer.call('waits', text, { timeoutMs: 1000, signal: new AbortController().signal });
  void peer.flush();
  await settled();
  await peer.dispose();
  await settled();
  assert.deepEqual(unhandled, []);
  await assert.rejects(peer.call('c'), failsAs(UsageError.Closed));
});

test('calls whose loss is still being explained, and refusals of the same tick', async (t) => {
  const unhandled = uncaught(t);
  const { peer, wire, clock } = await dial();
  wire.explanation = new Promise(() => undefined); // nobody will say why
  void peer.call('lost');
  await settled();
  wire.hangUp();
  void peer.notify('too late');
  const disposing = peer.dispose();
  clock.pass(500);
  await disposing;
  await settled();
  assert.deepEqual(unhandled, []);
});

test('answers: of handlers that run, and of messages that were fetched', async (t) => {
  const unhandled = uncaught(t);
  let finish = (): void => undefined;
  const serving = await dial({}, (p) => p.handle('m', {}, () => new Promise<void>((resolve) => (finish = resolve))));
  serving.wire.hear({ jsonrpc: '2.0', id: 1, method: 'm' });
  await settled();
  const fetching = await dial({ limits: { outBytesMax: 50 } });
  fetching.wire.isStuck = true;
  for (const id of [1, 2, 3]) fetching.wire.hear({ jsonrpc: '2.0', id, method: 'ask' });
  const messages = fetching.peer.messages();
  for (let i = 0; i < 3; i++) void (await messages.next()).value!.reply('x'.repeat(100));
  const waiting = messages.next();
  await settled();
  await Promise.all([serving.peer.dispose(), fetching.peer.dispose()]);
  finish();
  assert.equal((await waiting.catch(() => ({ done: true }))).done, true);
  await settled();
  assert.deepEqual(unhandled, []);
});

test('a farewell that waits, a peer that never connected, and dispose twice', async (t) => {
  const unhandled = uncaught(t);
  const { peer, wire } = await dial({ profile: Profile.LSP, role: Role.Client }, undefined, true);
  const greeting = peer.call('initialize', {});
  wire.hear({ jsonrpc: '2.0', id: 1, result: {} });
  await greeting;
  void peer.close();
  await settled();
  await Promise.all([peer.dispose(), peer.dispose()]);
  const never = new Peer(await init(), { profile: Profile.Plain, role: Role.Client });
  await never.dispose();
  assert.equal(await never.closed, undefined);
  assert.throws(() => never.connect(new Wire()), /connected once/);
  await settled();
  assert.deepEqual(unhandled, []);
});

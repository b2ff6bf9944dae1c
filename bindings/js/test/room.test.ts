// Waiting for room: the table that the Go host is held to as well (SEND-2).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { init, Peer, Profile, Role, UsageError, type CallError, type PeerOptions } from '../src/node.js';
import { FakeClock, settled, Wire } from './fakes.js';

const clock = new FakeClock();

async function dial(options: Partial<PeerOptions> = {}): Promise<{ peer: Peer; wire: Wire }> {
  const wire = new Wire();
  wire.isStuck = true;
  const peer = new Peer(await init(), {
    profile: Profile.Plain,
    role: Role.Client,
    clock,
    limits: { outBytesMax: 100 },
    ...options,
  });
  return { peer: peer.connect(wire), wire };
}

/** The writer holds the first notification, the queue the second, and is full. */
async function stuffed(options: Partial<PeerOptions> = {}): Promise<{ peer: Peer; wire: Wire }> {
  const { peer, wire } = await dial(options);
  for (const method of ['filler0', 'filler1']) await peer.notify(method, ['x'.repeat(200)]);
  return { peer, wire };
}

const methods = (wire: Wire): string[] => wire.messages.map(({ method }) => method);
const failsAs = (code: UsageError) => (error: unknown) => (error as CallError).code === code;

test('waiters are served in order', async () => {
  const { peer, wire } = await stuffed();
  const names = Array.from({ length: 8 }, (_, i) => `waiter${i}`);
  const all = names.map((name, i) => peer.notify(name, ['x'.repeat(10 * (8 - i))]));
  await settled();
  assert.deepEqual(methods(wire), []);
  wire.release();
  await Promise.all(all);
  await peer.flush();
  assert.deepEqual(methods(wire), ['filler0', 'filler1', ...names]);
  await peer.dispose();
});

test('newcomers do not overtake', async () => {
  const { peer, wire } = await dial();
  await peer.notify('held by the writer', ['x']);
  await settled();
  await peer.notify('queued', ['x']);
  const all = [peer.notify('large', ['x'.repeat(80)]), peer.notify('small', ['x'])];
  await settled();
  wire.release();
  await Promise.all(all);
  await peer.flush();
  assert.deepEqual(methods(wire), ['held by the writer', 'queued', 'large', 'small']);
  await peer.dispose();
});

test('waiters give up inside their budget, and have written nothing (CALL-4)', async () => {
  const { peer, wire } = await stuffed();
  const cause = new Error('tab closed');
  const controller = new AbortController();
  const cancelled = peer.notify('cancelled', undefined, { signal: controller.signal });
  const budget = peer.call('budget', undefined, { timeoutMs: 1000 });
  const aborted = peer.call('aborted', undefined, { signal: controller.signal });
  const last = peer.notify('last', ['x']);
  controller.abort(cause);
  for (const outcome of [cancelled, aborted]) {
    await assert.rejects(outcome, (error) => failsAs(UsageError.Canceled)(error) && (error as Error).cause === cause);
  }
  clock.pass(1000);
  await assert.rejects(budget, failsAs(UsageError.Timeout));
  wire.release();
  await last;
  await peer.flush();
  assert.deepEqual(methods(wire), ['filler0', 'filler1', 'last']);
  await peer.dispose();
});

test('waiters learn of the end', async () => {
  const { peer, wire } = await stuffed();
  const all = Array.from({ length: 3 }, () => peer.notify('m'));
  wire.hangUp();
  for (const outcome of all) await assert.rejects(outcome, failsAs(UsageError.Closed));
  wire.release();
  await peer.dispose();
});

test('waiters learn of a failed write, although the peer may still speak (SEND-5)', async () => {
  const { peer, wire } = await stuffed();
  const waiting = peer.notify('m');
  wire.failure = new Error('EPIPE');
  wire.release();
  await assert.rejects(waiting, /session:.*refused our bytes: EPIPE/);
  assert.equal(peer.state.input, 0);
  await peer.dispose();
});

test('a full queue fails fast where it is told to', async () => {
  const { peer } = await stuffed({ outFailFast: true });
  await assert.rejects(peer.notify('m'), failsAs(UsageError.TooLarge));
  await peer.dispose();
});

test('flush resolves when all is written, and fails when it never will be', async () => {
  const { peer, wire } = await stuffed();
  let isFlushed = false;
  const flushed = peer.flush().then(() => (isFlushed = true));
  await settled();
  assert.equal(isFlushed, false);
  wire.release();
  await flushed;
  assert.equal(peer.state.writtenBytes, peer.state.acceptedBytes);
  const other = await stuffed();
  const lost = other.peer.flush();
  other.wire.failure = new Error('gone');
  other.wire.release();
  await assert.rejects(lost, failsAs(UsageError.Closed));
  await other.peer.dispose();
  await peer.dispose();
});

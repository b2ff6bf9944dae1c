// A relayed session against a wire: what waits, what passes, and how it ends.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { CallError, Class, init, Profile, Reason, Relay, UsageError, type RelayOptions } from '../src/node.js';
import type { Instance } from '../src/instance.js';
import { FakeClock, settled, Wire } from './fakes.js';

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const notification = (n: number, size = 0): object => ({ jsonrpc: '2.0', method: 'm', params: [n, 'x'.repeat(size)] });

async function attach(t: TestContext, options: Partial<RelayOptions> = {}, isWhole = true) {
  const wire = new Wire(isWhole);
  const clock = new FakeClock();
  const reported: string[] = [];
  const onError = (error: unknown, where: string): void => void reported.push(`${where}: ${error}`);
  const relay = new Relay(await init(), wire, { profile: Profile.Plain, clock, onError, ...options });
  t.after(() => relay.dispose());
  const heard: string[] = [];
  const listen = () =>
    relay.listen({
      message: ({ class: kind, id, method, bytes }) => heard.push(`${kind} ${id} ${method} ${bytes}`),
      end: (why) => heard.push(Reason.EOF === why.reason ? 'eof' : why.message),
    });
  return { wire, clock, relay, reported, heard, listen };
}

test('a relay says what its frames are, and passes them on byte for byte', async (t) => {
  const { wire, relay, heard, listen } = await attach(t, {}, false);
  listen();
  wire.hear('{"jsonrpc":"2.0","id":7,"method":"a","x":1}\n{"jsonrpc":"2.0","id":"7","result":null}\nno\n[1]\n');
  await settled();
  assert.deepEqual(heard, [
    `${Class.Request} 7 a 43`,
    `${Class.Result} "7"  40`,
    `${Class.Invalid} undefined  2`,
    `${Class.Batch} undefined  3`,
  ]);
  const text = '{ "x": 1e2, "jsonrpc": "2.0", "method": "é" }';
  await relay.send(new TextEncoder().encode(text), 'é');
  await settled();
  assert.deepEqual(wire.written, [`${text}\n`]);
});

test('what nobody listens to waits, within bounds and in order, and so does the end', async (t) => {
  const { wire, heard, listen } = await attach(t, { limits: { parkedBytesMax: 20_000, frameBytesMax: 10_000 } }, false);
  for (let n = 0; !wire.isPaused; n++) {
    assert.ok(n < 100, 'the peer is stopped');
    wire.hear(notification(n, 5000));
  }
  wire.hangUp();
  await settled();
  assert.deepEqual(heard, []);
  const stop = listen();
  await settled();
  assert.equal(heard.at(-1), 'eof');
  assert.ok(heard.length > 3);
  stop();
});

test('the end does not wait for a peer that has stopped reading', async (t) => {
  const { wire, relay, heard, listen } = await attach(t);
  listen();
  wire.isStuck = true;
  await relay.send(encode(notification(1)));
  wire.hangUp();
  await settled();
  assert.deepEqual(heard, ['eof']);
  const isClosed = (error: unknown): boolean => error instanceof CallError && error.code === UsageError.Closed;
  await assert.rejects(relay.send(encode(notification(2))), isClosed);
  wire.release();
});

test('close writes what is queued, and dispose does not', async (t) => {
  for (const [end, want] of [
    ['close', 3],
    ['dispose', 1],
  ] as const) {
    const { wire, relay } = await attach(t);
    wire.isStuck = true;
    for (let n = 0; n < 3; n++) await relay.send(encode(notification(n)));
    const ended = relay[end]();
    await settled();
    wire.release();
    assert.equal(await ended, undefined);
    await settled();
    assert.equal(wire.messages.length, want);
    assert.ok(wire.isClosed);
  }
});

test('dispose rejects what waits for room, and surprises nobody', async (t) => {
  const { wire, relay } = await attach(t, { limits: { outBytesMax: 1000 } });
  wire.isStuck = true;
  const sent = [0, 1, 2].map((n) => relay.send(encode(notification(n, 800))));
  await settled();
  await relay.dispose();
  const outcomes = await Promise.allSettled(sent);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
});

test('a transport has one session, and a refused configuration claims none (API-1)', async (t) => {
  const { wire } = await attach(t);
  const engine = await init();
  assert.throws(() => new Relay(engine, wire, { profile: Profile.Plain }), /claimed already/);
  const other = new Wire(true);
  t.after(() => other.close());
  assert.throws(() => new Relay(engine, other, { profile: Profile.Plain, limits: { frameBytesMax: 2 ** 31 } }), {
    name: 'ConfigError',
  });
  other.start({ chunk: () => undefined, end: () => undefined });
});

test('a trap of the engine is the end, and says what it was', async (t) => {
  const engine = await init((await init()).module);
  const wire = new Wire(true);
  const relay = new Relay(engine, wire, { profile: Profile.Plain, onError: () => undefined });
  t.after(() => relay.dispose());
  const ends: string[] = [];
  relay.listen({ message: () => undefined, end: ({ message }) => ends.push(message) });
  await settled();
  (engine as unknown as { instance: Instance }).instance.poison('turn', new Error('planted'));
  assert.throws(
    () => relay.sendNow(encode(notification(1))),
    (error) => error instanceof CallError && error.code === UsageError.Closed,
  );
  await settled();
  assert.match(ends.join(), /^parley: session: the engine failed/);
  assert.match(String(await relay.closed), /the engine failed/);
});

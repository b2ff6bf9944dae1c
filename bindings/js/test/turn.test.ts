// A turn in one call of the module, and how many calls a session makes.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import {
  Engine,
  EventKind,
  Framing,
  Inbound,
  init,
  MachineEvent,
  Peer,
  Profile,
  RefusedError,
  Role,
  UsageError,
  type Machine,
} from '../src/node.js';
import { dial, failsAs, settled, Wire } from './fakes.js';

const limits = { frameBytesMax: 1 << 20 };
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

async function plain(t: TestContext, framing: Framing = Framing.Line): Promise<Machine> {
  const machine = (await init()).machine({
    profile: Profile.Plain,
    role: Role.Client,
    framing,
    limits,
    inbound: Inbound.Messages,
  });
  t.after(() => machine.free());
  machine.want(100);
  return machine;
}

function kinds(machine: Machine): EventKind[] {
  const event = new MachineEvent();
  const all: EventKind[] = [];
  while (machine.next(event)) all.push(event.kind);
  return all;
}

test('a turn takes bytes, then the time, then a block, and has the facts', async (t) => {
  const machine = await plain(t);
  const call = machine.call('m', '[]', { deadline: 100 });
  assert.equal(decode(machine.turn(10, true)), '{"jsonrpc":"2.0","id":1,"method":"m","params":[]}\n');
  const sent = machine.state().acceptedBytes;
  machine.notify('n');
  assert.equal(machine.turn(20, true), undefined, 'the block before it is not written');
  const answer = encode('{"jsonrpc":"2.0","id":1,"result":"é"}\n');
  const block = machine.turn(100, true, { received: answer, wroteBytes: sent });
  assert.equal(decode(block), '{"jsonrpc":"2.0","method":"n"}\n');
  const event = new MachineEvent();
  assert.ok(machine.next(event));
  assert.deepEqual([event.kind, event.call, event.bodyText], [EventKind.Result, call, '"é"'], 'bytes beat the time (CALL-3)');
  assert.equal(machine.state().writtenBytes, sent);
});

test('a turn takes bytes of any size', async (t) => {
  const machine = await plain(t);
  for (const size of [0, 1, 4095, 4096, 4097, 65535, 65536, 65537, 200_000]) {
    const message = encode(`{"jsonrpc":"2.0","method":"m","params":["${'x'.repeat(size)}"]}\n`);
    machine.turn(1, false, { received: message });
    assert.deepEqual(kinds(machine), [EventKind.Notification], `${size}`);
  }
  machine.turn(2, false, { received: encode('') });
  assert.deepEqual(kinds(machine), []);
});

test('a turn takes a message of the transport, an empty one too', async (t) => {
  const machine = await plain(t, Framing.Whole);
  machine.turn(1, false, { received: encode('{"jsonrpc":"2.0","method":"m"}'), isMessage: true });
  assert.deepEqual(kinds(machine), [EventKind.Notification]);
  machine.turn(2, false, { received: encode(''), isMessage: true });
  assert.deepEqual(kinds(machine), [EventKind.Invalid]);
});

test('facts of one turn that nobody has read survive the next', async (t) => {
  const machine = await plain(t);
  machine.turn(1, false, { received: encode('{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"b"}\n') });
  machine.turn(2, false, { received: encode('{"jsonrpc":"2.0","method":"c"}\n') });
  const event = new MachineEvent();
  const methods: string[] = [];
  while (machine.next(event)) methods.push(event.method);
  assert.deepEqual(methods, ['a', 'b', 'c']);
});

test('bytes behind the end are refused, and nothing else of that turn is done', async (t) => {
  const machine = await plain(t);
  machine.abort();
  const isClosed = (error: unknown): boolean => error instanceof RefusedError && error.code === UsageError.Closed;
  assert.throws(() => machine.turn(1, true, { received: encode('{}\n') }), isClosed);
  machine.turn(1, true);
  assert.ok(kinds(machine).includes(EventKind.Closed));
});

test('a violation in a turn is known behind it, in whichever part the bytes are', async () => {
  for (const noise of ['\u0000\n', `${' '.repeat(70_000)}\u0000`]) {
    const machine = (await init()).machine({ profile: Profile.LSP, role: Role.Client, limits });
    machine.turn(1, false, { received: encode(noise) });
    assert.ok(machine.error !== undefined);
    machine.free();
  }
});

test('a round trip is nine calls of the module: three commands, and a turn for each input and each write', async () => {
  const engine = await init();
  const calls = counted(engine);
  for (const isPatient of [false, true]) {
    const [near, far] = [new Wire(), new Wire()];
    const through = (to: Wire) => (bytes: Uint8Array) => {
      to.hear(decode(bytes));
      return (isPatient ? Promise.resolve() : undefined) as Promise<void>;
    };
    near.write = through(far);
    far.write = through(near);
    const { peer } = await dial({ limits }, undefined, false, near);
    await dial({ limits }, (server) => server.handle('echo', {}, (params) => params), false, far);
    await peer.call('echo', { a: 1 });
    await settled();
    calls.length = 0;
    assert.deepEqual(await peer.call('echo', { a: 1 }), { a: 1 });
    await settled();
    assert.deepEqual(calls.sort(), ['call', 'done', 'reply', ...Array<string>(6).fill('turn')]);
  }
});

test('what a transport takes at once goes out in order and arms no timer', async () => {
  const wire = new Wire();
  const { peer, clock } = await dial({ limits }, undefined, false, wire);
  let timers = 0;
  clock.after = () => {
    timers++;
    return () => undefined;
  };
  wire.write = (bytes) => void wire.written.push(decode(bytes)) as unknown as Promise<void>;
  const numbers = Array.from({ length: 300 }, (_, i) => i);
  for (const i of numbers) await peer.notify('n', [i, 'x'.repeat(i * 50)]);
  assert.deepEqual(
    wire.messages.map(({ params }) => params[0]),
    numbers,
  );
  assert.equal(timers, 0);
});

test('commands of one step share a turn and a write, in their order', async () => {
  const engine = await init();
  const calls = counted(engine);
  const { peer, wire } = await dial({ limits });
  calls.length = 0;
  const numbers = Array.from({ length: 64 }, (_, i) => i);
  const sent = numbers.map((i) => peer.notify('n', [i]));
  assert.equal(wire.written.length, 0);
  await sent[0];
  assert.equal(wire.written.length, 1, 'who waits for the queue finds it written');
  await settled();
  assert.deepEqual(
    wire.messages.map(({ params }) => params[0]),
    numbers,
  );
  assert.equal(calls.filter((name) => name === 'turn').length, 2);
});

test('a call that is given up in the step that made it is never written (CALL-6)', async () => {
  const { peer, wire } = await dial({ limits });
  const controller = new AbortController();
  const call = peer.call('m', [], { signal: controller.signal });
  controller.abort();
  await assert.rejects(call, failsAs(UsageError.Canceled));
  await settled();
  assert.deepEqual(wire.written, []);
});

test('a call in which the module fails is rejected with why, and so is everything behind it', async () => {
  const engine = await Engine.create((await init()).module);
  const wire = new Wire();
  const peer = new Peer(engine, { profile: Profile.Plain, role: Role.Peer, limits }).connect(wire);
  const before = peer.call('before');
  await settled();
  const { exports } = (engine as unknown as { instance: { exports: Record<string, () => number> } }).instance;
  exports.call = () => {
    throw new WebAssembly.RuntimeError('planted');
  };
  const isTrap = (error: unknown): boolean =>
    failsAs(UsageError.Closed)(error) && /failed in its export call: "RuntimeError: planted"/.test(String(error));
  await Promise.all([
    assert.rejects(peer.call('m'), isTrap),
    assert.rejects(peer.notify('n'), isTrap),
    assert.rejects(before, isTrap),
  ]);
  assert.ok(wire.isClosed);
});

/** Names each export that is called from now on. */
function counted(engine: Engine): string[] {
  const { exports } = (engine as unknown as { instance: { exports: Record<string, (...args: number[]) => number> } }).instance;
  const calls: string[] = [];
  for (const [name, run] of Object.entries(exports)) {
    if (typeof run !== 'function') continue;
    exports[name] = (...args) => {
      calls.push(name);
      return run(...args);
    };
  }
  return calls;
}

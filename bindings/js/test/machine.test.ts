// The bindings beneath the machine: loading, views, arguments, refusals, poison.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import {
  ConfigError,
  EventKind,
  Framing,
  Inbound,
  init,
  Machine,
  MachineEvent,
  Profile,
  RefusedError,
  Role,
  TrapError,
  UsageError,
  Violation,
  type Config,
} from '../src/node.js';
import { init as initFetching } from '../src/browser.js';
import { init as initInline } from '../src/inline.js';
import { Instance } from '../src/instance.js';

const plain: Config = { profile: Profile.Plain, role: Role.Client, limits: { frameBytesMax: 16 << 20 } };
const asset = new URL('../src/parley.wasm', import.meta.url);
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function eventsOf(machine: Machine): { kind: EventKind; body: string | undefined }[] {
  const event = new MachineEvent();
  const all = [];
  while (machine.next(event)) all.push({ kind: event.kind, body: event.bodyText });
  return all;
}

const refusedAs = (code: UsageError) => (error: unknown) => error instanceof RefusedError && error.code === code;

test('the module may be nothing, a file, bytes, compiled, inline', async () => {
  const bytes = new Uint8Array(await readFile(asset));
  const module = await WebAssembly.compile(bytes);
  for (const make of [() => init(), () => init(asset), () => init(bytes), () => init(module), () => initInline()]) {
    const machine = (await make()).machine(plain);
    machine.notify('m');
    assert.equal(new TextDecoder().decode(machine.take()), '{"jsonrpc":"2.0","method":"m"}\n');
    machine.free();
  }
  assert.equal(await init(), await init(), 'without a source there is one engine a process');
});

test('the module may be fetched, whatever type it is served as; what is not there is said', async (t) => {
  const bytes = await readFile(asset);
  const server = createServer((request, response) => {
    const isFound = request.url !== '/missing';
    response.writeHead(isFound ? 200 : 404, { 'Content-Type': request.url === '/typed' ? 'application/wasm' : 'text/plain' });
    response.end(isFound ? bytes : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of ['/typed', '/untyped']) (await initFetching(base + path)).machine(plain).free();
  await assert.rejects(initFetching(`${base}/missing`), /HTTP 404/);
});

test('a module of something else is refused', async () => {
  const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  await assert.rejects(init(empty), /no parley reactor/);
});

test('memory that grows leaves no stale view behind', async () => {
  const engine = await init(asset, {});
  const machine = engine.machine({ ...plain, framing: Framing.Header });
  machine.advance(1);
  machine.want(1);
  const body = `{"jsonrpc":"2.0","method":"m","params":["${'x'.repeat(8 << 20)}"]}`;
  machine.commit(encode(`Content-Length: ${body.length}\r\n\r\n${body}`));
  const event = new MachineEvent();
  assert.ok(machine.next(event));
  assert.equal(event.body?.length, (8 << 20) + 4);
  machine.notify('m', event.body); // what lies in linear memory may be an argument, and growing may move it
  machine.free();
});

test('facts that nobody has read survive an input, with their bytes', async () => {
  const machine = (await init(asset)).machine({ ...plain, role: Role.Peer, inbound: Inbound.Messages });
  const count = 300; // more than one call of the module fetches
  machine.want(4 * count);
  const lines = (method: string): Uint8Array =>
    encode(Array.from({ length: count }, (_, i) => `{"jsonrpc":"2.0","method":"${method}","params":[${i}]}\n`).join(''));
  const event = new MachineEvent();
  for (const _ of ['a buffer of this size', 'is kept']) {
    machine.commit(lines('before'));
    while (machine.next(event));
  }
  machine.commit(lines('first'));
  for (const method of ['first', 'second']) {
    for (let i = 0; i < count; i++) {
      assert.ok(machine.next(event));
      assert.deepEqual([event.method, event.bodyText], [method, `[${i}]`]);
      if (method === 'first' && i === 1) machine.commit(lines('second')); // over what was fetched and not read
      if (i === 2) machine.notify('m');
    }
  }
  assert.equal(machine.next(event), false);
  machine.free();
});

test('a configuration that is refused names its field', async () => {
  const engine = await init();
  assert.throws(() => engine.machine({ ...plain, limits: { frameBytesMax: 0 } }), {
    name: 'ConfigError',
    field: 'Limits.FrameBytesMax',
    min: 1,
  });
  assert.throws(
    () => engine.machine({ ...plain, limits: { frameBytesMax: 2 ** 31 - 1 } }),
    (error) => {
      return error instanceof ConfigError && error.field === 'memory for Limits';
    },
  );
  const twice = [{ name: 'a' }, { name: '' }];
  assert.throws(() => engine.machine({ ...plain, methods: twice }), ConfigError);
  engine.machine({ ...plain, methods: [{ name: 'a' }] }).free(); // the table of a refused open is gone
  await assert.rejects(init(asset, { memoryBytesMax: 0 }), RangeError);
});

test('commands are refused with the number of core, and change nothing', async () => {
  const machine = (await init()).machine({ ...plain, limits: { frameBytesMax: 100 } });
  machine.advance(10);
  assert.throws(() => machine.call(''), refusedAs(UsageError.BadMethod));
  assert.throws(() => machine.call('m', '7'), refusedAs(UsageError.BadParams));
  assert.throws(() => machine.call('m', '['), refusedAs(UsageError.BadJSON));
  assert.throws(() => machine.call('m', `["${'x'.repeat(1000)}"]`), refusedAs(UsageError.TooLarge));
  assert.throws(() => machine.call('m', `["${'x'.repeat(100 << 20)}"]`), refusedAs(UsageError.TooLarge));
  assert.throws(() => machine.call('m', '[]', { deadline: 10 }), refusedAs(UsageError.Timeout));
  assert.throws(() => machine.cancel(-1), refusedAs(UsageError.UnknownCall));
  assert.throws(() => machine.reply(0.5, '1'), refusedAs(UsageError.UnknownRequest));
  assert.equal(machine.pendingBytes, 0);
  machine.free();
  machine.free();
  assert.throws(() => machine.notify('m'), refusedAs(UsageError.Closed));
});

test('text of any size and script crosses whole', async () => {
  const machine = (await init()).machine(plain);
  for (const text of ['é', '€', '😀', '']) {
    for (const repeat of [1, 1500, 20_000]) {
      machine.notify(`m${text}`, JSON.stringify([text.repeat(repeat)]));
      const block = machine.take()!;
      assert.equal(JSON.parse(new TextDecoder().decode(block)).params[0], text.repeat(repeat));
      machine.wrote(block.length);
    }
  }
  machine.free();
});

test('what the peer breaks is one sticky error and no exception', async () => {
  const machine = (await init()).machine({ profile: Profile.LSP, role: Role.Client });
  machine.advance(1);
  machine.commit(encode('Content-Length: x\r\n\r\n'));
  const error = machine.error!;
  assert.equal(error.facts.violation, Violation.Length);
  assert.match(error.message, /length at byte 18: "Content-Length: x\\u000d\\u000a"/);
  machine.commit(encode('more'));
  assert.equal(machine.error, error);
  assert.equal(machine.state().error, error);
  assert.deepEqual(
    eventsOf(machine).map(({ kind }) => kind),
    [EventKind.Ending, EventKind.Closed],
  );
  machine.free();
});

test('a snapshot shows what runs', async () => {
  const machine = (await init()).machine({
    ...plain,
    role: Role.Server,
    methods: [{ name: 'slow' }, { name: 'seen', notification: true }],
  });
  machine.advance(5);
  machine.want(10);
  machine.traceStart();
  machine.commit(encode('{"jsonrpc":"2.0","id":1,"method":"slow"}\n'));
  assert.equal(eventsOf(machine).length, 1);
  const { items, methods, isTracing, trace } = machine.snapshot();
  assert.deepEqual(
    items.map(({ method, isRunning, ordinal }) => ({ method, isRunning, ordinal })),
    [{ method: 'slow', isRunning: true, ordinal: 1 }],
  );
  assert.deepEqual(
    methods.map(({ name }) => name),
    ['slow', 'seen'],
  );
  assert.ok(isTracing);
  assert.ok(trace.length > 0 && trace[0]!.method === 'slow' && trace[0]!.at === 5);
  machine.free();
});

test('running out of memory poisons the instance, with what Go said', async () => {
  const module = (await init()).module;
  const instance = await Instance.create(module);
  const machine = new Machine(instance, { ...plain, limits: { frameBytesMax: 64 << 20 } }, 2 ** 31);
  const pagesMax = 65536;
  const pageBytes = 65536;
  instance.memory.wasm!.grow(pagesMax - instance.memory.bytes.length / pageBytes); // nothing is left for Go
  const mebibyte = new Uint8Array(1 << 20).fill(0x20);
  let trap: unknown;
  assert.throws(
    () => {
      for (let i = 0; i < 64; i++) machine.commit(mebibyte);
    },
    (error) => (trap = error) instanceof TrapError,
  );
  assert.match((trap as TrapError).panic, /^fatal error: .*out of memory|cannot allocate memory/m);
  for (const use of [() => machine.notify('m'), () => machine.advance(1), () => new Machine(instance, plain, 2 ** 31)]) {
    assert.throws(use, (error) => error === trap);
  }
  machine.free();
});

test('a gigabyte of garbage leaves memory as it was: the module has a real clock', async () => {
  const instance = await Instance.create((await init()).module);
  const frame = encode(`{"jsonrpc":"2.0","method":"m","params":["${'x'.repeat(4 << 20)}"]}\n`);
  for (let i = 0; i < 256; i++) {
    const machine = new Machine(instance, plain, 1 << 30);
    machine.commit(frame);
    machine.free();
  }
  assert.ok(instance.memory.bytes.length < 128 << 20, `${instance.memory.bytes.length} bytes`);
});

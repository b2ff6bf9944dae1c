// Three versions of the real vscode-jsonrpc on one pair of ours.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import * as v10 from 'vscode-jsonrpc-10/node';
import * as v8 from 'vscode-jsonrpc-8/node.js';
import * as v9 from 'vscode-jsonrpc-9/node';

import { vscodeTransports, type VSCodeOptions } from '../../src/adapters/vscode-jsonrpc.js';
import { Deferred } from '../../src/deferred.js';
import { CallError, ChildTransport, init, resumingSocket, UsageError, type Transport } from '../../src/node.js';
import { FakeBridge, Sockets } from '../bridge.js';
import { FakeClock, settled, type Wire } from '../fakes.js';
import { reports, serve, wholeWire } from './rig.js';

type Library = Pick<
  typeof v10,
  'createMessageConnection' | 'MessageReader' | 'MessageWriter' | 'ConnectionError' | 'ResponseError'
>;

// What the tests use of them is the same in all three.
const versions = { '8.2.1': v8, '9.0.3': v9, '10.0.0': v10 } as unknown as Record<string, Library>;

const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined, log: () => undefined };

async function attach(t: TestContext, transport: Transport, options: VSCodeOptions = {}) {
  const pair = vscodeTransports(await init(), transport, options);
  t.after(() => pair.relay.dispose());
  return pair;
}

/** A connection that listens, on a wire. */
async function dial(t: TestContext, library: Library, options: VSCodeOptions = {}, wire: Wire = wholeWire()) {
  const pair = await attach(t, wire, options);
  const connection = library.createMessageConnection(pair.reader, pair.writer, quiet);
  t.after(() => connection.dispose());
  connection.listen();
  return { connection, wire, ...pair };
}

for (const [version, library] of Object.entries(versions)) {
  test(`${version}: requests, notifications and errors pass in both directions`, async (t) => {
    const told = new Deferred<unknown>();
    const { server, transport } = await serve(t, (peer) =>
      peer.handle('echo', {}, ({ value }) => value).handle('tell', { notification: true }, ({ value }) => told.resolve(value)),
    );
    const { reader, writer, relay } = await attach(t, transport);
    assert.ok(library.MessageReader.is(reader));
    assert.ok(library.MessageWriter.is(writer));
    const connection = library.createMessageConnection(reader, writer, quiet);
    connection.listen();
    const value = { text: 'é😀\u2028', list: ['x'.repeat(1 << 20)] };
    assert.deepEqual(await connection.sendRequest('echo', value), value);
    await assert.rejects(
      connection.sendRequest('none'),
      (error) => error instanceof library.ResponseError && error.code === -32601,
    );
    await connection.sendNotification('tell', 1);
    assert.deepEqual(await told.promise, [1]);
    connection.end();
    connection.dispose();
    assert.equal(await relay.closed, undefined);
    assert.equal(await server.closed, undefined);
  });

  test(`${version}: the id 0 is asked, answered and lost like any other`, async (t) => {
    const { connection, wire } = await dial(t, library);
    connection.onRequest('twice', (n: number) => 2 * n);
    const asked = connection.sendRequest('m');
    await settled();
    assert.deepEqual(wire.messages, [{ jsonrpc: '2.0', id: 0, method: 'm' }]);
    wire.hear({ jsonrpc: '2.0', id: 0, method: 'twice', params: [21] });
    wire.hear({ jsonrpc: '2.0', id: 0, result: 'r' });
    assert.equal(await asked, 'r');
    await settled();
    assert.deepEqual(wire.messages[1], { jsonrpc: '2.0', id: 0, result: 42 });
  });

  test(`${version}: the end of the session rejects what is open, then closes`, async (t) => {
    const { connection, wire, relay } = await dial(t, library);
    const order: string[] = [];
    const closed = new Promise<void>((resolve) => connection.onClose(resolve)).then(() => order.push('close'));
    connection.onError(([error]) => void order.push(error.message));
    const asked = connection.sendRequest('m');
    await settled();
    wire.hangUp(new Error('reset'));
    await assert.rejects(asked, { code: -32097, message: 'parley: session: reading from the peer failed: reset' });
    await closed;
    assert.deepEqual(order, ['parley: session: reading from the peer failed: reset', 'close']);
    assert.match(String(await relay.closed), /reset/);
    assert.throws(() => connection.sendRequest('m'), library.ConnectionError);
  });

  test(`${version}: a clean end is no error`, async (t) => {
    const { connection, wire, relay } = await dial(t, library);
    const errors: unknown[] = [];
    connection.onError((error) => void errors.push(error));
    const closed = new Promise<void>((resolve) => connection.onClose(resolve));
    wire.hangUp();
    await closed;
    assert.deepEqual(errors, []);
    assert.equal(await relay.closed, undefined);
  });

  test(`${version}: a message over the limit is refused to its sender, and the next one passes`, async (t) => {
    const { connection, wire } = await dial(t, library, { limits: { frameBytesMax: 1000 } });
    const errors: unknown[] = [];
    connection.onError(([error, message, count]) => void errors.push([error instanceof CallError && error.code, message, count]));
    await assert.rejects(connection.sendNotification('big', 'x'.repeat(1000)));
    assert.deepEqual(errors, [[UsageError.TooLarge, { jsonrpc: '2.0', method: 'big', params: ['x'.repeat(1000)] }, 1]]);
    await connection.sendNotification('small');
    assert.deepEqual(wire.messages, [{ jsonrpc: '2.0', method: 'small' }]);
  });

  test(`${version}: an answer over the limit becomes an error on its id (FRAME-5)`, async (t) => {
    const { connection, wire } = await dial(t, library, { limits: { frameBytesMax: 1000 } });
    connection.onRequest('big', () => 'x'.repeat(1000));
    const failed = new Promise<void>((resolve) => connection.onError(() => resolve()));
    wire.hear({ jsonrpc: '2.0', id: 0, method: 'big' });
    await failed;
    await settled();
    const error = { code: -32603, message: 'Internal error: the answer is over the frame limit' };
    assert.deepEqual(wire.messages, [{ jsonrpc: '2.0', id: 0, error }]);
  });

  test(`${version}: what is no message is an error, and reading goes on`, async (t) => {
    const { connection, wire } = await dial(t, library);
    const errors: string[] = [];
    connection.onError(([error]) => void errors.push(error.message));
    const [broken, asked] = [connection.sendRequest('m'), connection.sendRequest('n')];
    const rejected = assert.rejects(broken, { code: -32098 });
    await settled();
    wire.hear('{"jsonrpc":"2.0","id":0,"result":tru}');
    wire.hear('[{"jsonrpc":"2.0","id":1,"result":1}]');
    wire.hear('{"jsonrpc":"2.0","id":0,"error":"no"}');
    wire.hear({ jsonrpc: '2.0', id: 1, result: 'after' });
    assert.equal(await asked, 'after');
    await rejected;
    assert.deepEqual(
      errors.map((text) => text.replace(/ at byte .*/, '')),
      ['parley: peer: invalid json', 'parley: peer: invalid batch', 'parley: peer: invalid error'],
    );
  });

  test(`${version}: writes that wait for room keep their order`, async (t) => {
    const { writer, wire } = await dial(t, library, { limits: { outBytesMax: 1000 } });
    wire.isStuck = true;
    const written = Array.from({ length: 20 }, (_, n) =>
      writer.write({ jsonrpc: '2.0', method: 'm', params: [n, 'x'.repeat(300)] } as never),
    );
    await settled();
    wire.release();
    await Promise.all(written);
    await settled();
    assert.deepEqual(
      wire.messages.map(({ params }) => params[0]),
      Array.from({ length: 20 }, (_, n) => n),
    );
  });

  test(`${version}: a connection is disposed twice, and its session after it`, async (t) => {
    const { connection, relay, reader, writer, wire } = await dial(t, library);
    const asked = connection.sendRequest('m');
    await settled();
    connection.dispose();
    await assert.rejects(asked, { code: -32097 });
    reader.dispose();
    writer.dispose();
    assert.equal(wire.isClosed, false, "the session is its owner's");
    await relay.dispose();
    await relay.dispose();
    await assert.rejects(
      writer.write({ jsonrpc: '2.0' }),
      (error) => error instanceof CallError && error.code === UsageError.Closed,
    );
  });
}

test('10.0.0: a request over the limit is rejected', async (t) => {
  // The versions before leave a rejection behind that nobody can catch.
  const { connection } = await dial(t, v10, { limits: { frameBytesMax: 1000 } });
  await assert.rejects(connection.sendRequest('big', 'x'.repeat(1000)), { code: -32099 });
});

test('requests outlive the sockets beneath them, and are answered once, in order', async (t) => {
  const engine = await init();
  const clock = new FakeClock();
  const sockets = new Sockets();
  const bridge = new FakeBridge(engine, clock);
  sockets.onDial = (socket) => queueMicrotask(() => bridge.accept(socket));
  bridge.onText = (text) => {
    const { id } = JSON.parse(text);
    bridge.say(JSON.stringify({ jsonrpc: '2.0', id, result: id }));
    if (id % 2 === 0) bridge.lose(); // with every other answer on its way
  };
  const { reader, writer, relay } = await attach(t, resumingSocket(engine, 'ws://h/ws?token=t', { dial: sockets.dial, clock }));
  const connection = v10.createMessageConnection(reader, writer, quiet);
  connection.listen();
  const order: number[] = [];
  const asked = Array.from({ length: 10 }, async () => void order.push(await connection.sendRequest<number>('m')));
  while (order.length < asked.length) {
    await settled();
    clock.pass(10_000);
  }
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.ok(sockets.all.length > 1);
  connection.dispose();
  const ended = relay.dispose();
  sockets.last.end(1000);
  await ended;
});

test('a listener that throws is reported, and the next one is called', async (t) => {
  const report = reports();
  const { reader, wire } = await dial(t, v10, { onError: report.onError });
  const heard: Error[] = [];
  reader.onError(() => {
    throw new Error('a bug');
  });
  const disposables: { dispose(): void }[] = [];
  reader.onError(
    function (this: unknown, error) {
      assert.equal(this, reader);
      heard.push(error);
    },
    reader,
    disposables,
  );
  wire.hear('{');
  await settled();
  disposables[0]?.dispose();
  wire.hear('}');
  await settled();
  assert.equal(heard.length, 1);
  assert.deepEqual(report.texts, ['listener of a reader: Error: a bug', 'listener of a reader: Error: a bug']);
  assert.throws(() => reader.listen(() => undefined), /a listener already/);
});

test('a server that dies is named, with its last words', async (t) => {
  const child = new ChildTransport('/bin/sh', ['-c', 'read -r line; echo "no licence" >&2; exit 3']);
  const { reader, writer } = await attach(t, child);
  const connection = v10.createMessageConnection(reader, writer, quiet);
  connection.listen();
  await assert.rejects(connection.sendRequest('initialize', {}), /exit status 3.*no licence/);
  connection.dispose();
});

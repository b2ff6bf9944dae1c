// The real @codemirror/lsp-client on our transport.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { LSPClient } from '@codemirror/lsp-client';

import { CodeMirrorTransport, reconnect, type CodeMirrorOptions, type Passing } from '../../src/adapters/codemirror.js';
import { CallError, ChildTransport, Code, init, RPCError, UsageError, type Peer } from '../../src/node.js';
import { settled, Wire } from '../fakes.js';
import { reports, serve, wholeWire } from './rig.js';

const minute = { timeout: 60_000 };

/** A transport that is ended behind the test. */
function attach(t: TestContext, ...args: ConstructorParameters<typeof CodeMirrorTransport>): CodeMirrorTransport {
  const transport = new CodeMirrorTransport(...args);
  t.after(() => transport.dispose());
  return transport;
}

/** A client on a wire, with the handshake behind it. */
async function dial(t: TestContext, options: CodeMirrorOptions = {}, wire = wholeWire()) {
  const transport = attach(t, await init(), wire, options);
  const client = new LSPClient(minute).connect(transport);
  await settled();
  wire.hear({ jsonrpc: '2.0', id: 1, result: { capabilities: {} } });
  await client.initializing;
  await settled();
  wire.written.length = 0;
  return { client, transport, wire };
}

const capable = (peer: Peer): Peer => peer.handle('initialize', {}, () => ({ capabilities: { hoverProvider: true } }));

test('a client initializes, asks, and hears what the server tells', async (t) => {
  const {
    engine,
    server,
    transport: port,
  } = await serve(t, (peer) =>
    capable(peer)
      .handle('echo', {}, ({ value }) => value)
      .handle('fail', {}, () => {
        throw new RPCError(Code.InvalidParams, 'no', { x: 1 });
      }),
  );
  const transport = attach(t, engine, port);
  const told: unknown[] = [];
  const client = new LSPClient({ ...minute, unhandledNotification: (_, method, params) => void told.push([method, params]) });
  client.connect(transport);
  await client.initializing;
  assert.deepEqual(client.serverCapabilities, { hoverProvider: true });
  const value = { text: 'é😀\u2028', list: ['x'.repeat(1 << 20)] };
  assert.deepEqual(await client.request('echo', value), value);
  await assert.rejects(client.request('fail', {}), { code: -32602, message: 'no', data: { x: 1 } });
  await server.notify('hello', [1]);
  await client.request('echo', {});
  assert.deepEqual(told, [['hello', [1]]]);
  assert.equal(await transport.close(), undefined);
  assert.equal(await server.closed, undefined);
});

test('what the client sends before the transport is open is written in order', async (t) => {
  const wire = wholeWire();
  wire.isStuck = true;
  const transport = attach(t, await init(), wire);
  for (const n of [1, 2, 3]) transport.send(`{"jsonrpc":"2.0","method":"m","params":[${n}]}`);
  await settled();
  assert.deepEqual(wire.written, []);
  wire.release();
  await settled();
  assert.deepEqual(
    wire.messages.map(({ params }) => params[0]),
    [1, 2, 3],
  );
});

test('what the server sends before anybody subscribes waits', async (t) => {
  const wire = wholeWire();
  const transport = attach(t, await init(), wire);
  wire.hear('{"jsonrpc":"2.0","method":"a"}');
  wire.hear('{"jsonrpc":"2.0","method":"b"}');
  await settled();
  const heard: string[] = [];
  transport.subscribe((text) => heard.push(JSON.parse(text).method));
  await settled();
  assert.deepEqual(heard, ['a', 'b']);
});

test('requests of the server that the client would refuse are answered', async (t) => {
  const report = reports();
  const { client, wire } = await dial(t, {
    onError: report.onError,
    answers: {
      'workspace/applyEdit': async ({ label }) => ({ applied: label === 'ok' }),
      'window/showMessageRequest': undefined,
      'x/refused': () => {
        throw new RPCError(-1, 'not now', [2]);
      },
      'x/broken': () => {
        throw new Error('a bug');
      },
    },
  });
  const ask = (id: unknown, method: string, params: unknown): void => wire.hear({ jsonrpc: '2.0', id, method, params });
  ask(0, 'workspace/configuration', { items: [{ section: 'a' }, {}] });
  wire.hear('{"jsonrpc":"2.0","id":1e2,"method":"client/registerCapability","params":{"registrations":[]}}');
  ask('c', 'client/unregisterCapability', {});
  ask('d', 'window/workDoneProgress/create', { token: 1 });
  ask('e', 'workspace/workspaceFolders', undefined);
  ask('f', 'workspace/applyEdit', { label: 'ok', edit: {} });
  ask('g', 'window/showMessageRequest', {});
  ask('h', 'x/refused', []);
  ask('i', 'x/broken', []);
  ask('j', 'toString', []);
  await settled();
  assert.deepEqual(Object.fromEntries(wire.messages.map(({ id, result, error }) => [id, error ?? result])), {
    0: [null, null],
    100: null,
    c: null,
    d: null,
    e: null,
    f: { applied: true },
    g: { code: -32601, message: 'Method not implemented' },
    h: { code: -1, message: 'not now', data: [2] },
    i: { code: -32603, message: 'Internal error' },
    j: { code: -32601, message: 'Method not implemented' },
  });
  assert.ok(wire.written.includes('{"jsonrpc":"2.0","id":1e2,"result":null}'), 'the id goes back as it came');
  assert.deepEqual(report.texts, ['answer to "x/broken": Error: a bug']);
  client.disconnect();
});

test('no edit is applied where nobody said how', async (t) => {
  const { wire } = await dial(t);
  wire.hear({ jsonrpc: '2.0', id: 'e', method: 'workspace/applyEdit', params: { edit: {} } });
  await settled();
  assert.equal(wire.messages[0].result.applied, false);
});

test('the end of the session rejects what is open, at once', async (t) => {
  for (const [end, want] of [
    [(wire: Wire) => wire.hangUp(), /the peer's output has ended/],
    [(wire: Wire) => wire.hangUp(new Error('reset')), /reading from the peer failed: reset/],
    [(_: Wire, transport: CodeMirrorTransport) => void transport.dispose(), /aborted on this side/],
  ] as const) {
    const { client, transport, wire } = await dial(t);
    const asked = client.request('m', {});
    await settled();
    end(wire, transport);
    await assert.rejects(asked, (error: { code: number; message: string }) => error.code === -32097 && want.test(error.message));
    await transport.closed;
    assert.ok(wire.isClosed);
    assert.throws(
      () => transport.send('{"jsonrpc":"2.0","method":"m"}'),
      (error) => {
        assert.ok(error instanceof CallError);
        assert.deepEqual([error.code, error.fault], [UsageError.Closed, 'session']);
        assert.match(error.message, want);
        return true;
      },
    );
    await transport.dispose();
    await transport.dispose();
  }
});

test('a message over the limit is refused, and the request with it', async (t) => {
  const { client } = await dial(t, { limits: { frameBytesMax: 1000 } });
  t.mock.timers.enable({ apis: ['setTimeout'] }); // the client leaves its timer of a request that was refused
  await assert.rejects(client.request('m', { text: 'x'.repeat(1000) }), (error) => {
    assert.match(String(error), /send "m": caller: message too large/);
    return error instanceof CallError && error.code === UsageError.TooLarge;
  });
});

test('an answer over the limit becomes an error on its id (FRAME-5)', async (t) => {
  const report = reports();
  const { wire } = await dial(t, {
    limits: { frameBytesMax: 1000 },
    onError: report.onError,
    answers: { big: () => 'x'.repeat(1000) },
  });
  wire.hear({ jsonrpc: '2.0', id: 'q', method: 'big' });
  await settled();
  assert.deepEqual(wire.messages, [
    { jsonrpc: '2.0', id: 'q', error: { code: -32603, message: 'Internal error: the answer is over the frame limit' } },
  ]);
  assert.match(report.texts.join(), /answer to "big": .*too large/);
});

test('a full queue is told to the caller and not waited for', async (t) => {
  const { transport, wire } = await dial(t, { limits: { outBytesMax: 1000 } });
  wire.isStuck = true;
  const text = JSON.stringify({ jsonrpc: '2.0', method: 'm', params: ['x'.repeat(600)] });
  transport.send(text); // is being written
  transport.send(text); // waits
  assert.throws(
    () => transport.send(text),
    (error) => error instanceof CallError && error.code === UsageError.TooLarge,
  );
  wire.release();
  await settled();
  assert.equal(wire.messages.length, 2);
});

test('an answer of the server over the limit ends the session, and says so', async (t) => {
  const { client, transport, wire } = await dial(t, { limits: { frameBytesMax: 1000 } });
  const asked = client.request('m', {});
  await settled();
  wire.hear({ jsonrpc: '2.0', id: 2, result: 'x'.repeat(1000) });
  await assert.rejects(asked, { code: -32097, message: /the peer broke the protocol: .*the size is over the limit/ });
  assert.match(String(await transport.closed), /the peer broke the protocol/);
});

test('a server that announces more than the limit ends the session before it sends it (FRAME-2)', async (t) => {
  const wire = new Wire();
  const transport = attach(t, await init(), wire, { limits: { frameBytesMax: 1000 } });
  const client = new LSPClient(minute).connect(transport);
  await settled();
  assert.match(wire.written.join(''), /^Content-Length: \d+\r\n\r\n\{.*"initialize"/);
  wire.hear('Content-Length: 1001\r\n\r\n');
  await assert.rejects(client.initializing, { code: -32097, message: /the peer broke the protocol: length/ });
});

test('a handler that has left hears nothing more, and the server is answered still', async (t) => {
  const { client, wire } = await dial(t);
  client.disconnect();
  wire.hear('{"jsonrpc":"2.0","id":1,"result":"late"}');
  wire.hear('{"jsonrpc":"2.0","id":"r","method":"client/registerCapability","params":{"registrations":[]}}');
  await settled();
  assert.deepEqual(wire.messages, [{ jsonrpc: '2.0', id: 'r', result: null }]);
});

test('what is no message is reported, and what follows it arrives', async (t) => {
  const report = reports();
  const { client, wire } = await dial(t, { onError: report.onError });
  const [broken, asked] = [client.request('m', {}), client.request('n', {})];
  await settled();
  wire.hear('{"jsonrpc":"2.0","id":2,"result":tru}');
  wire.hear('[{"jsonrpc":"2.0","method":"a"}]');
  wire.hear('{"jsonrpc":"2.0","id":2}');
  wire.hear({ jsonrpc: '2.0', id: 3, result: 'after' });
  assert.equal(await asked, 'after');
  await assert.rejects(
    broken,
    (error: { code: number; message: string }) => error.code === -32098 && /invalid shape at byte \d+/.test(error.message),
  );
  assert.equal(report.texts.length, 3);
  assert.match(report.texts[0]!, /message: InvalidMessageError: parley: peer: invalid json at byte \d+: "\{/);
  assert.match(report.texts[1]!, /invalid batch/);
});

test('a handler that throws is reported, and the next one and the next message are heard', async (t) => {
  const report = reports();
  const wire = wholeWire();
  const transport = attach(t, await init(), wire, { onError: report.onError });
  const heard: string[] = [];
  transport.subscribe(() => {
    throw new Error('a bug');
  });
  transport.subscribe((text) => heard.push(text));
  wire.hear('{"jsonrpc":"2.0","method":"a"}');
  wire.hear('{"jsonrpc":"2.0","method":"b"}');
  await settled();
  assert.equal(heard.length, 2);
  assert.deepEqual(report.texts, ['handler: Error: a bug', 'handler: Error: a bug']);
});

test('a text that is no message is the mistake of whoever sends it', async (t) => {
  const transport = attach(t, await init(), wholeWire());
  for (const text of ['', '{', '7', 'null']) {
    assert.throws(
      () => transport.send(text),
      (error) => error instanceof CallError && error.code === UsageError.BadJSON,
    );
  }
});

test('a client is given another connection, and goes on', async (t) => {
  const { client, transport: first } = await dial(t);
  const asked = client.request('m', {});
  await settled();
  const { engine, transport: port } = await serve(t, (peer) => capable(peer).handle('m', {}, () => 'again'));
  const second = attach(t, engine, port);
  const rejected = assert.rejects(asked, { code: -32097 });
  reconnect(client, second, first);
  await rejected;
  await client.initializing;
  assert.equal(await client.request('m', {}), 'again');
  assert.equal(await first.closed, undefined);
});

test('a handshake that is given up surprises nobody', async (t) => {
  const first = attach(t, await init(), wholeWire());
  const client = new LSPClient(minute).connect(first);
  const { engine, transport: port } = await serve(t, capable);
  const second = attach(t, engine, port);
  reconnect(client, second, first);
  await client.initializing;
});

test('an observer sees both directions in order', async (t) => {
  const seen: Passing[] = [];
  const { client, wire } = await dial(t, { onMessage: (message) => void seen.push(message), onError: reports().onError });
  seen.length = 0;
  const asked = client.request('é', {});
  await settled();
  wire.hear('{"jsonrpc":"2.0","id":2.0,"result":1}');
  await asked;
  wire.hear('{"jsonrpc":"2.0","id":"x","method":"workspace/workspaceFolders"}');
  wire.hear('{');
  await settled();
  assert.deepEqual(
    seen.map(({ direction, kind, method, id }) => [direction, kind, method, id]),
    [
      ['sent', 'request', 'é', '2'],
      ['received', 'result', '', '2.0'],
      ['received', 'request', 'workspace/workspaceFolders', '"x"'],
      ['received', 'invalid', '', undefined],
      ['sent', 'result', '', '"x"'],
    ],
  );
  for (const { bytes, text } of seen) assert.equal(bytes, Buffer.byteLength(text));
});

const gopls = fileURLToPath(new URL('../../../../../build/bin/gopls', import.meta.url));
const noGopls = existsSync(gopls) || process.env.CI === 'true' ? false : 'no build/bin/gopls; make deps builds it';

test('gopls behind the client', { skip: noGopls }, async (t) => {
  const transport = attach(t, await init(), new ChildTransport(gopls));
  const client = new LSPClient(minute).connect(transport);
  await client.initializing;
  assert.equal(client.serverCapabilities?.hoverProvider, true);
  const symbols = await client.request('workspace/symbol', { query: 'nothing' });
  assert.ok(symbols === null || Array.isArray(symbols));
  client.disconnect();
  assert.equal(await transport.close(), undefined);
});

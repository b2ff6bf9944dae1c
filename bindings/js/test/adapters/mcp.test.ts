// The real MCP SDK, version 1 and 2, on our transport.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server as ServerV2 } from '@modelcontextprotocol/server';

import { McpTransport, type McpOptions } from '../../src/adapters/mcp.js';
import { CallError, ChildTransport, init, portTransport, UsageError, type Transport } from '../../src/node.js';
import { settled } from '../fakes.js';
import { reports, wholeWire } from './rig.js';

const info = { name: 'test', version: '1' };
const tools = [{ name: 'echo', inputSchema: { type: 'object' as const } }];
const echoed = (params: { arguments?: Record<string, unknown> | undefined }) => ({
  content: [{ type: 'text' as const, text: String(params.arguments?.text) }],
});

async function attach(t: TestContext, transport: Transport, options: McpOptions = {}): Promise<McpTransport> {
  const adapter = new McpTransport(await init(), transport, options);
  t.after(() => adapter.relay.dispose());
  return adapter;
}

const clients = {
  'client 1.32': () => new ClientV1(info),
  'client 2.4': () => new ClientV2(info) as unknown as ClientV1,
};

const servers = {
  'server 1.32': () => {
    const server = new ServerV1(info, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => echoed(params));
    return server;
  },
  'server 2.4': () => {
    const server = new ServerV2(info, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools }));
    server.setRequestHandler('tools/call', ({ params }) => echoed(params));
    return server as unknown as ServerV1;
  },
};

for (const [clientName, makeClient] of Object.entries(clients)) {
  for (const [serverName, makeServer] of Object.entries(servers)) {
    test(`${clientName} calls ${serverName} over a port, and both end`, async (t) => {
      const { port1, port2 } = new MessageChannel();
      const [client, server] = [makeClient(), makeServer()];
      const ends: string[] = [];
      client.onclose = () => void ends.push('client');
      const serverEnded = new Promise<void>((resolve) => (server.onclose = resolve)).then(() => ends.push('server'));
      await server.connect(await attach(t, portTransport(port2)));
      await client.connect(await attach(t, portTransport(port1)));
      assert.deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        ['echo'],
      );
      const text = 'é😀\u2028'.repeat(100_000);
      const { content } = await client.callTool({ name: 'echo', arguments: { text } });
      assert.deepEqual(content, [{ type: 'text', text }]);
      await client.close();
      await serverEnded;
      assert.deepEqual(ends.sort(), ['client', 'server']);
    });
  }

  const everything = fileURLToPath(
    new URL('../../../../../e2e/node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
  );
  const whyNot =
    existsSync(everything) || process.env.CI === 'true'
      ? false
      : 'no server-everything in e2e/node_modules; make deps fetches it';
  test(`${clientName} calls server-everything, a child`, { skip: whyNot }, async (t) => {
    const client = makeClient();
    const adapter = await attach(t, new ChildTransport(process.execPath, [everything, 'stdio']));
    await client.connect(adapter);
    const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
    assert.deepEqual(content, [{ type: 'text', text: 'Echo: hello' }]);
    await client.close();
    assert.equal(await adapter.relay.closed, undefined);
  });

  test(`${clientName}: the end of the session rejects what is open`, async (t) => {
    const wire = wholeWire();
    const errors: string[] = [];
    const client = makeClient();
    client.onerror = (error) => void errors.push(error.message);
    const closed = new Promise<void>((resolve) => (client.onclose = resolve));
    const connecting = client.connect(await attach(t, wire));
    await settled();
    assert.equal(wire.messages[0].id, 0);
    wire.hangUp(new Error('reset'));
    await assert.rejects(connecting, /closed/i);
    await closed;
    assert.ok(errors.includes('parley: session: reading from the peer failed: reset'));
  });
}

/** A transport that is started, on a wire, with what it told. */
async function started(t: TestContext, options: McpOptions = {}) {
  const wire = wholeWire();
  const adapter = await attach(t, wire, options);
  const told: unknown[] = [];
  adapter.onmessage = (message) => void told.push(message);
  adapter.onerror = ({ message }) => void told.push(message.replace(/ at byte .*/, ''));
  adapter.onclose = () => void told.push('close');
  await adapter.start();
  return { wire, adapter, told };
}

test('nothing is delivered before start, and start is once', async (t) => {
  const wire = wholeWire();
  const adapter = await attach(t, wire);
  const told: unknown[] = [];
  adapter.onmessage = (message) => void told.push(message);
  wire.hear({ jsonrpc: '2.0', id: 0, method: 'ping' });
  await settled();
  assert.deepEqual(told, []);
  await adapter.start();
  await settled();
  assert.deepEqual(told, [{ jsonrpc: '2.0', id: 0, method: 'ping' }]);
  await assert.rejects(adapter.start(), /started already/);
});

test('what is no message is an error that ends nothing, a batch too, but in the version that has them', async (t) => {
  const { wire, adapter, told } = await started(t);
  const batch = '[{"jsonrpc":"2.0","method":"a"},7,{"jsonrpc":"2.0","id":0,"method":"ping"}]';
  wire.hear('{"jsonrpc"');
  wire.hear(batch);
  await settled();
  adapter.setProtocolVersion('2025-03-26');
  wire.hear(batch);
  await settled();
  assert.deepEqual(told, [
    'parley: peer: invalid json',
    'parley: peer: invalid batch',
    { jsonrpc: '2.0', method: 'a' },
    'parley: peer: invalid scalar',
    { jsonrpc: '2.0', id: 0, method: 'ping' },
  ]);
});

test('a message over the limit is refused; an answer over it becomes an error on its id (FRAME-5)', async (t) => {
  const { wire, adapter } = await started(t, { limits: { frameBytesMax: 1000 } });
  const big = 'x'.repeat(1000);
  const isTooLarge = (error: unknown): boolean => error instanceof CallError && error.code === UsageError.TooLarge;
  await assert.rejects(adapter.send({ jsonrpc: '2.0', id: 0, method: 'm', params: { big } }), isTooLarge);
  await assert.rejects(adapter.send({ jsonrpc: '2.0', id: 0, result: { big } }), isTooLarge);
  await settled();
  const error = { code: -32603, message: 'Internal error: the answer is over the frame limit' };
  assert.deepEqual(wire.messages, [{ jsonrpc: '2.0', id: 0, error }]);
});

test('a message of the peer over the limit ends the session, and says so', async (t) => {
  const { wire, adapter, told } = await started(t, { limits: { frameBytesMax: 1000 } });
  wire.hear({ jsonrpc: '2.0', id: 0, result: 'x'.repeat(1000) });
  assert.match(String(await adapter.relay.closed), /the size is over the limit/);
  assert.deepEqual(told, ['parley: session: the peer broke the protocol: line-size', 'close']);
});

test('close is told once however often, started or not; what is sent later is refused', async (t) => {
  for (const isStarted of [true, false]) {
    const wire = wholeWire();
    const adapter = await attach(t, wire);
    const told: string[] = [];
    adapter.onclose = () => void told.push('close');
    if (isStarted) await adapter.start();
    await adapter.send({ jsonrpc: '2.0', method: 'last' });
    await Promise.all([adapter.close(), adapter.close()]);
    await settled();
    assert.deepEqual(told, ['close']);
    assert.deepEqual(wire.messages, [{ jsonrpc: '2.0', method: 'last' }]);
    assert.ok(wire.isClosed);
    const isClosed = (error: unknown): boolean => error instanceof CallError && error.code === UsageError.Closed;
    await assert.rejects(adapter.send({ jsonrpc: '2.0', method: 'm' }), isClosed);
  }
});

test('a callback that throws is reported, and the next message is heard', async (t) => {
  const report = reports();
  const { wire, adapter } = await started(t, { onError: report.onError });
  const told: string[] = [];
  adapter.onmessage = ({ method }) => {
    told.push(method);
    throw new Error('a bug');
  };
  wire.hear('{"jsonrpc":"2.0","method":"a"}');
  wire.hear('{"jsonrpc":"2.0","method":"b"}');
  await settled();
  assert.deepEqual(told, ['a', 'b']);
  assert.deepEqual(report.texts, ['listener: Error: a bug', 'listener: Error: a bug']);
});

test('a session that is taken up again is not initialized by version 1', async (t) => {
  const wire = wholeWire();
  const adapter = await attach(t, wire);
  adapter.sessionId = 'known';
  await new ClientV1(info).connect(adapter);
  await settled();
  assert.deepEqual(wire.messages, []);
});

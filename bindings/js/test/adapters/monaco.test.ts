// The transport for monaco.lsp: by itself, and under the real client in headless Chromium.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { MonacoTransport, type MonacoOptions } from '../../src/adapters/monaco.js';
import { CallError, init, UsageError } from '../../src/node.js';
import { noChromium } from '../chromium.js';
import { withPage } from '../served-page.js';
import { settled } from '../fakes.js';
import { reports, wholeWire } from './rig.js';

/** A transport on a wire, with what it told. */
async function attach(t: TestContext, options: MonacoOptions = {}) {
  const wire = wholeWire();
  const transport = new MonacoTransport(await init(), wire, options);
  t.after(() => transport.dispose());
  const heard: unknown[] = [];
  const listen = (): void => transport.setListener((message) => heard.push(message));
  return { wire, transport, heard, listen };
}

test('what comes without a listener waits, before it and after it', async (t) => {
  const { wire, transport, heard, listen } = await attach(t);
  wire.hear('{"jsonrpc":"2.0","method":"a"}');
  await settled();
  listen();
  await settled();
  transport.setListener(undefined);
  wire.hear('{"jsonrpc":"2.0","method":"b"}');
  wire.hear('{"jsonrpc":"2.0","method":"c"}');
  await settled();
  assert.deepEqual(heard, [{ jsonrpc: '2.0', method: 'a' }]);
  listen();
  await settled();
  assert.deepEqual(
    heard,
    ['a', 'b', 'c'].map((method) => ({ jsonrpc: '2.0', method })),
  );
});

test('the end rejects what is open, the id 0 too, and then the state is closed', async (t) => {
  const { wire, transport, heard, listen } = await attach(t);
  listen();
  transport.state.onChange((state) => heard.push(state.state));
  assert.deepEqual([transport.state.value, String(transport)], [{ state: 'open' }, 'parley (open)']);
  await transport.send({ jsonrpc: '2.0', id: 0, method: 'm' });
  wire.hangUp(new Error('reset'));
  const error = await transport.relay.closed;
  await settled();
  assert.match(String(error), /reading from the peer failed: reset/);
  assert.deepEqual(heard, [{ jsonrpc: '2.0', id: 0, error: { code: -32097, message: error?.message } }, 'closed']);
  assert.deepEqual([transport.state.value, String(transport)], [{ state: 'closed', error }, 'parley (closed)']);
  const isClosed = (refusal: unknown): boolean => refusal instanceof CallError && refusal.code === UsageError.Closed;
  await assert.rejects(transport.send({ jsonrpc: '2.0', method: 'm' }), isClosed);
});

test('dispose ends the session at once, and again', async (t) => {
  const { wire, transport, heard, listen } = await attach(t);
  listen();
  await transport.send({ jsonrpc: '2.0', id: 0, method: 'm' });
  const disposed = transport.dispose();
  assert.equal(heard.length, 1, 'the open request is rejected by now');
  await disposed;
  await transport.dispose();
  await settled();
  assert.ok(wire.isClosed);
  assert.deepEqual(transport.state.value, { state: 'closed', error: undefined });
});

test('a message over the limit is refused, and what is no message is reported', async (t) => {
  const report = reports();
  const { wire, transport, heard, listen } = await attach(t, { limits: { frameBytesMax: 100 }, onError: report.onError });
  listen();
  const isTooLarge = (error: unknown): boolean => error instanceof CallError && error.code === UsageError.TooLarge;
  await assert.rejects(transport.send({ jsonrpc: '2.0', id: 0, method: 'm', params: ['x'.repeat(100)] }), isTooLarge);
  wire.hear('{"jsonrpc":"2.0"');
  wire.hear('[]');
  wire.hear('{"jsonrpc":"2.0","method":"after"}');
  await settled();
  assert.deepEqual(heard, [{ jsonrpc: '2.0', method: 'after' }]);
  assert.deepEqual(
    report.texts.map((text) => text.replace(/ at byte .*/, '')),
    ['message: InvalidMessageError: parley: peer: invalid json', 'message: InvalidMessageError: parley: peer: invalid batch'],
  );
});

test('monaco.lsp opens a document, shows what the server says of it, and learns of the end', { skip: noChromium }, async () => {
  const seen = await withPage((page) => page.evaluate(() => editWithMonaco()), 'adapters/monaco-page.js');
  assert.deepEqual(seen.opened, { languageId: 'plaintext', text: 'hello' });
  assert.deepEqual(seen.markers, ['a greeting']);
  assert.deepEqual(seen.states, ['closed']);
  assert.match(seen.lost, /the peer's output has ended/);
});

// Every transport against what it is made for: processes, workers, streams; sockets against a fake.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import {
  CallError,
  ChildTransport,
  init,
  Peer,
  portTransport,
  Profile,
  Role,
  SessionError,
  streamTransport,
  webSocketTransport,
  type Transport,
} from '../src/node.js';
import { fakeSocket, settled } from './fakes.js';

const client = async (transport: Transport, profile: Profile = Profile.Plain): Promise<Peer> =>
  new Peer(await init(), { profile, role: Role.Client }).connect(transport);

const short = { graceMs: 300, terminateMs: 300 };
const script = (text: string, options = short): ChildTransport => new ChildTransport('/bin/sh', ['-c', text], options);
const echo = `while read -r line; do echo '{"jsonrpc":"2.0","id":'$((n+=1))',"result":"ok"}'; done`;

/** Whether a process runs; one that nobody has reaped yet does not. */
function isRunning(pid: number): boolean {
  try {
    if (process.platform === 'linux') return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return process.kill(pid, 0);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    assert.ok(['ENOENT', 'ESRCH'].includes(code), `${error}`);
    return false;
  }
}

test('a child is called, leaves at the end of its stdin, and gets no signal', async () => {
  const child = script(`trap 'echo term >&2' TERM; ${echo}; echo bye >&2`, { graceMs: 10_000, terminateMs: 1 });
  const peer = await client(child);
  assert.equal(await peer.call('m'), 'ok');
  assert.equal(await peer.call('big', ['x'.repeat(300_000)]), 'ok');
  assert.equal(await peer.close(), undefined);
  assert.equal(await child.exited, 'exit status 0');
  assert.equal(child.stderr.text, 'bye\n');
});

test('an answer that lies in the pipe beats a deadline that passed while we were busy (CALL-3)', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pipe-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const answered = join(folder, 'answered');
  const child = script(`read -r line; echo '{"jsonrpc":"2.0","id":1,"result":"ok"}'; : >'${answered}'; read -r line`);
  const peer = await client(child);
  const timeoutMs = 20;
  const due = performance.now() + timeoutMs;
  const call = peer.call('m', [], { timeoutMs });
  await peer.flush();
  while (!existsSync(answered) || performance.now() <= due); // the event loop stands still
  assert.equal(await call, 'ok');
  await peer.close();
});

test('a child that stays gets SIGTERM, then SIGKILL, and its group with it (STOP-6)', async () => {
  const child = script(`trap 'echo term >&2' TERM; (trap '' TERM; echo $$ >/dev/null; while :; do sleep 60; done) &
    echo '{"jsonrpc":"2.0","method":"ready","params":['$!']}'; while :; do sleep 60 & wait; done`);
  const peer = await client(child);
  let grandchild = 0;
  for await (const message of peer.messages()) {
    [grandchild] = message.params!.value as [number];
    break;
  }
  assert.ok(isRunning(grandchild));
  const pending = peer.call('m');
  const closing = [peer.close(), peer.close()];
  await assert.rejects(pending, CallError);
  await Promise.all(closing);
  assert.equal(await child.exited, 'signal SIGKILL');
  assert.match(child.stderr.text, /term/);
  while (isRunning(grandchild)) await settled(); // it has its signal
});

test('a grandchild whose parent is gone is ended, too', async () => {
  const child = script(
    `(trap '' TERM; exec >/dev/null 2>&1; while :; do sleep 60; done) & echo '{"jsonrpc":"2.0","method":"ready","params":['$!']}'`,
  );
  const peer = await client(child);
  let grandchild = 0;
  for await (const message of peer.messages()) [grandchild] = message.params!.value as [number];
  await peer.closed;
  assert.notEqual(grandchild, 0);
  while (isRunning(grandchild)) await settled();
});

test('a child that dies loses its calls, with its status and stderr (STOP-4)', async () => {
  const peer = await client(script(`read -r line; echo 'FATAL: no key' >&2; exit 78`));
  await assert.rejects(peer.call('m'), (error) => {
    const { cause } = error as Error;
    return cause instanceof SessionError && /exit status 78; stderr: FATAL: no key/.test(cause.message);
  });
  await peer.closed;
  const absent = await client(new ChildTransport('/nowhere/server'));
  await assert.rejects(absent.call('m'), /ENOENT/);
  await absent.closed;
});

test('a child has NO_COLOR and a dumb terminal, unless it is told otherwise', async () => {
  const show = `read -r line; echo '{"jsonrpc":"2.0","id":1,"result":"'$NO_COLOR-$TERM'"}'; read -r line`;
  const peer = await client(new ChildTransport('/bin/sh', ['-c', show], { ...short, env: { TERM: 'vt100' } }));
  assert.equal(await peer.call('m'), '1-vt100');
  await peer.close();
});

test('stderr is drained whatever the child does, and its end kept (STOP-7)', async () => {
  const child = script(
    `read -r line; head -c 1000000 /dev/zero | tr '\\0' E >&2; echo end >&2; echo '{"jsonrpc":"2.0","id":1,"result":1}'; read -r line`,
  );
  const peer = await client(child);
  assert.equal(await peer.call('m'), 1);
  await peer.close();
  assert.equal(child.stderr.bytesTotal, 1_000_004);
  assert.equal(child.stderr.text.length, 64 << 10);
  assert.match(child.stderr.text, /Eend\n$/);
});

test('what is no text ends a session over a port', async () => {
  const { port1, port2 } = new MessageChannel();
  const peer = await client(portTransport(port1));
  const call = peer.call('m');
  port2.postMessage({ jsonrpc: '2.0' });
  await assert.rejects(call, /a value of type object, want JSON text/);
  port2.close();
  await peer.closed;
});

test('two peers talk over Web Streams, with back-pressure', async () => {
  const [there, back] = [new TransformStream<Uint8Array, Uint8Array>(), new TransformStream<Uint8Array, Uint8Array>()];
  const server = new Peer(await init(), { profile: Profile.Plain, role: Role.Server })
    .handle<[string]>('echo', {}, ({ value }) => value[0])
    .connect(streamTransport({ readable: there.readable, writable: back.writable }));
  const transport = streamTransport({ readable: back.readable, writable: there.writable });
  const peer = await client(transport);
  const values = Array.from({ length: 50 }, (_, i) => `${i}`.repeat(20_000));
  assert.deepEqual(await Promise.all(values.map((value) => peer.call('echo', [value]))), values);
  await assert.rejects(async () => client(transport), /session already/);
  await peer.close();
  assert.equal(await server.closed, undefined);
});

test('streams that fail say so, and nobody who does not read is waited for', async () => {
  const peer = await client(
    streamTransport({
      readable: new ReadableStream({ pull: (controller) => controller.error(new Error('cable cut')) }),
      writable: new WritableStream({ write: () => new Promise(() => undefined) }),
    }),
  );
  await assert.rejects(peer.call('m'), /cable cut/);
  await peer.dispose();
});

/** A socket in the hands of a test. */
test('a socket that is still connecting gets the calls once it is open', async () => {
  const { socket, like } = fakeSocket();
  const transport = webSocketTransport(like);
  const peer = await client(transport);
  assert.equal(socket.binaryType, 'arraybuffer');
  await assert.rejects(client(transport), /session already/);
  const [text, binary] = [peer.call('a'), peer.call('b')];
  await settled();
  assert.deepEqual(socket.sent, []);
  socket.open();
  await settled();
  assert.deepEqual(socket.sent, ['{"jsonrpc":"2.0","id":1,"method":"a"}', '{"jsonrpc":"2.0","id":2,"method":"b"}']);
  socket.hear('{"jsonrpc":"2.0","id":1,"result":"text"}');
  socket.hear(new TextEncoder().encode('{"jsonrpc":"2.0","id":2,"result":"bytes"}').buffer);
  assert.deepEqual([await text, await binary], ['text', 'bytes']);
  await peer.close();
  assert.equal(socket.readyState, 3);
});

test('a socket with too much unsent is waited for, and one that closes loses nothing silently', async () => {
  const { socket, like } = fakeSocket();
  socket.open();
  const peer = await client(webSocketTransport(like, { binary: true }));
  socket.bufferedAmount = 2 << 20;
  await peer.notify('a');
  await peer.notify('b');
  const call = peer.call('c');
  await settled();
  assert.equal(socket.sent.length, 1);
  assert.ok(socket.sent[0] instanceof Uint8Array);
  socket.bufferedAmount = 0;
  await peer.flush();
  assert.equal(socket.sent.length, 3);
  socket.end(1011, 'out of cheese');
  await assert.rejects(call, /closed with code 1011: out of cheese/);
  await assert.rejects(peer.notify('d'), CallError);
  await peer.closed;
});

test('what a socket delivers before the session starts is kept', async () => {
  const { socket, like } = fakeSocket();
  const transport = webSocketTransport(like);
  socket.open();
  socket.hear('{"jsonrpc":"2.0","method":"hello"}');
  const peer = await client(transport);
  const { value: first } = await peer.messages().next();
  assert.equal(first?.method, 'hello');
  await peer.close();
});

test('a socket that is closed takes no session', async () => {
  const { socket, like } = fakeSocket();
  socket.end(1006, '');
  await assert.rejects(client(webSocketTransport(like)), /socket is closed/);
});

// Reported defects that concern browsers, by their ids in docs/cases.md.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { init, Peer, Profile, Role, SessionError, UsageError, webSocketTransport } from '../src/node.js';
import { failsAs, type FakeSocket, fakeSocket, settled, type Session, dial } from './fakes.js';

const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer;
const note = (n: number): string => JSON.stringify({ jsonrpc: '2.0', method: 'n', params: [n] });

/** A session of role client over a fake socket that is open. */
async function client(): Promise<{ peer: Peer; socket: FakeSocket }> {
  const { socket, like } = fakeSocket();
  socket.open();
  const peer = new Peer(await init(), { profile: Profile.Plain, role: Role.Client });
  return { peer: peer.connect(webSocketTransport(like)), socket };
}

/** The first parameters of all notifications until the session ends. */
async function heard(peer: Peer): Promise<{ seen: unknown[]; end: unknown }> {
  const seen: unknown[] = [];
  try {
    for await (const message of peer.messages()) seen.push((message.params!.value as unknown[])[0]);
  } catch (end) {
    return { seen, end };
  }
  return { seen, end: undefined };
}

test('B101 text and bytes keep their order, and a Blob, which could not, is refused by name', async () => {
  const { peer, socket } = await client();
  assert.equal(socket.binaryType, 'arraybuffer');
  for (const data of [bytes(note(1)), note(2), bytes(note(3)), note(4)]) socket.hear(data);
  socket.close(1000);
  assert.deepEqual(await heard(peer), { seen: [1, 2, 3, 4], end: undefined });

  const stubborn = await client();
  for (const data of [note(1), new Blob([note(2)]), note(3)]) stubborn.socket.hear(data);
  const { seen, end } = await heard(stubborn.peer);
  assert.deepEqual(seen, [1]);
  assert.ok(end instanceof SessionError);
  assert.match(end.message, /neither text nor an ArrayBuffer/);
  await stubborn.peer.close();
});

test('B102 JSON in binary frames is understood, and what is no JSON ends nothing', async () => {
  const { peer, socket } = await client();
  const [first, second] = [peer.call('m'), peer.call('m')];
  await peer.flush();
  assert.ok(socket.sent.every((sent) => typeof sent === 'string'));
  socket.hear(bytes('{"jsonrpc":"2.0","id":1,"result":"é"}'));
  assert.equal(await first, 'é');
  for (const data of ['hello', '', new Uint8Array([0xff, 0xfe]).buffer]) socket.hear(data);
  socket.hear('{"jsonrpc":"2.0","id":2,"result":"ok"}');
  assert.equal(await second, 'ok');
  const { invalid, noise } = peer.stats;
  assert.equal(invalid + noise, 3);
  assert.equal(socket.readyState, 1);
  await peer.close();
});

test('B105 the loss of a socket fails its calls once, and the next socket repeats none', async () => {
  const lost = await client();
  const outcomes: string[] = [];
  const transfer = lost.peer
    .call('transfer')
    .catch((error: unknown) => void outcomes.push(failsAs(UsageError.Closed)(error) ? 'lost' : `${error}`));
  await lost.peer.flush();
  lost.socket.end(1006, '');
  await transfer;
  await assert.rejects(lost.peer.call('m'), failsAs(UsageError.Closed)); // while down
  assert.deepEqual(outcomes, ['lost']);

  const { socket, like } = fakeSocket(); // still connecting
  const peer = new Peer(await init(), { profile: Profile.Plain, role: Role.Client, firstID: 2 }).connect(
    webSocketTransport(like),
  );
  const call = peer.call('m');
  await settled();
  assert.deepEqual(socket.sent, []);
  socket.open();
  await peer.flush();
  assert.deepEqual(socket.sent, ['{"jsonrpc":"2.0","id":2,"method":"m"}']);
  socket.hear('{"jsonrpc":"2.0","id":1,"result":"old"}');
  assert.equal(peer.stats.unknown, 1);
  socket.hear('{"jsonrpc":"2.0","id":2,"result":"new"}');
  assert.equal(await call, 'new');
  await peer.close();
});

test('B110 integers above 2^53 pass as they are written', async () => {
  const { peer, wire }: Session = await dial({}, (p) => p.handle('ping', {}, () => 'pong'));
  for (const id of ['9007199254740993', '9007199254740992']) wire.hear(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
  const raw = peer.callRaw('m');
  await peer.flush();
  wire.hear('{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890}}\n');
  assert.equal((await raw).text, '{"n":12345678901234567890}');
  await settled();
  const sent = wire.written.join('');
  for (const id of ['9007199254740993', '9007199254740992']) assert.ok(sent.includes(`"id":${id},"result":"pong"`), sent);
  await peer.dispose();
});

// Resuming sockets against sockets, a bridge and a clock that tests hold in their hands.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  init,
  Peer,
  Profile,
  ResumeError,
  ResumeFailureKind,
  resumingSocket,
  Role,
  SocketError,
  type ResumingOptions,
  type ResumingSocket,
  type WakeUps,
} from '../src/node.js';
import { wakeUps } from '../src/transports/wake.js';
import { FakeBridge, Sockets } from './bridge.js';
import { FakeClock, settled } from './fakes.js';

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const greeting = '{"parley":{"session":"s","received":0}}';

/** What a session hears. */
class Ear {
  readonly texts: string[] = [];
  readonly ends: unknown[] = [];

  chunk(bytes: Uint8Array): void {
    this.texts.push(new TextDecoder().decode(bytes));
  }

  end(error?: unknown): void {
    this.ends.push(error);
  }
}

interface World {
  socket: ResumingSocket;
  sockets: Sockets;
  clock: FakeClock;
  ear: Ear;
  phases: string[];
}

/** A session that has begun: its first socket is dialled. */
async function begin(
  options: ResumingOptions = {},
  address: Parameters<typeof resumingSocket>[1] = 'ws://h/ws?token=t',
): Promise<World> {
  const world = await make(options, address);
  world.socket.start(world.ear);
  await settled();
  return world;
}

async function make(
  options: ResumingOptions,
  address: Parameters<typeof resumingSocket>[1] = 'ws://h/ws?token=t',
): Promise<World> {
  const sockets = new Sockets();
  const clock = new FakeClock();
  const socket = resumingSocket(await init(), address, { dial: sockets.dial, clock, random: () => 0.5, ...options });
  const phases: string[] = [];
  socket.watch(({ phase }) => phases.push(phase));
  return { socket, sockets, clock, ear: new Ear(), phases };
}

/** A session over a bridge, which takes every socket; one that has begun, unless a peer begins it. */
async function bridged(options: ResumingOptions = {}, hasBegun = true): Promise<World & { bridge: FakeBridge }> {
  const world = await make(options);
  const bridge = new FakeBridge(await init(), world.clock);
  world.sockets.onDial = (socket) => queueMicrotask(() => bridge.accept(socket));
  if (hasBegun) world.socket.start(world.ear);
  await settled();
  return { ...world, bridge };
}

const isEndedBy = (kind: ResumeFailureKind, error: unknown): boolean => error instanceof ResumeError && error.kind === kind;

test('the first socket has the address as it is, the next the session and the count', async () => {
  const { socket, sockets, clock, ear, phases } = await begin();
  assert.equal(sockets.last.url, 'ws://h/ws?token=t&beat=20000');
  assert.deepEqual(sockets.last.offered, ['parley.resume.1']);
  sockets.last.open();
  assert.equal(socket.state.phase, 'connecting');
  sockets.last.say(greeting);
  assert.deepEqual(socket.state, { phase: 'open', isResumable: true, session: 's' });
  sockets.last.say('[1]');
  sockets.last.say(encode('[2]').buffer);
  assert.deepEqual(ear.texts, ['[1]', '[2]']);
  sockets.last.end(1006);
  assert.equal(socket.state.phase, 'waiting');
  clock.pass(250);
  await settled();
  assert.equal(sockets.last.url, 'ws://h/ws?token=t&beat=20000&session=s&received=2');
  assert.deepEqual(phases, ['connecting', 'connecting', 'open', 'waiting', 'connecting']);
  await closed(socket, sockets);
});

test('an address that is a function is asked for each attempt', async () => {
  let asked = 0;
  const { socket, sockets, clock } = await begin({}, async () => new URL(`http://h/ws?token=t${++asked}`));
  sockets.last.end();
  clock.pass(250);
  await settled();
  assert.deepEqual(
    sockets.all.map(({ url }) => url),
    ['ws://h/ws?token=t1&beat=20000', 'ws://h/ws?token=t2&beat=20000'],
  );
  await closed(socket, sockets);
});

test('an address that cannot be had is an attempt that failed', async () => {
  const { socket, sockets, clock } = await begin({ attemptsMax: 2 }, () => Promise.reject(new Error('no token')));
  assert.equal(socket.state.phase === 'waiting' && (socket.state.error.cause as Error).message, 'no token');
  clock.pass(250);
  await settled();
  assert.equal(socket.state.phase, 'closed');
  assert.equal(sockets.all.length, 0);
});

test('where no socket can be made nobody tries again', async () => {
  const unknown = new Error('no such scheme');
  const dial = () => {
    throw unknown;
  };
  for (const [options, address, isWhy] of [
    [{ dial }, 'nowhere://h', (error: unknown) => error === unknown],
    [{}, 'no address', (error: unknown) => error instanceof TypeError],
    [{ dial: undefined }, 'ws://h', (error: unknown) => /--experimental-websocket/.test(String(error))],
  ] as const) {
    const platform = globalThis.WebSocket;
    Reflect.deleteProperty(globalThis, 'WebSocket');
    const { socket } = await begin(options as ResumingOptions, address);
    if (platform !== undefined) globalThis.WebSocket = platform;
    const { state } = socket;
    assert.ok(state.phase === 'closed' && isWhy(state.error), `${address}: ${JSON.stringify(state)}`);
  }
});

// Goal: nothing is lost, doubled or reordered wherever the socket breaks. Method: a conversation is
// recorded, and the socket killed before and after every one of its messages, in either direction.
const conversation = ['>[1]', '<[2]', '<[3]', '>[4]', '>[5]', '<[6]', '>[7]', '<[8]'];
for (let at = 0; at < conversation.length; at++) {
  for (const moment of ['before', 'in flight', 'after', 'in flight, and again']) {
    test(`a socket killed ${moment} message ${at + 1}, ${conversation[at]}`, async () => {
      const { socket, clock, ear, bridge, sockets } = await bridged();
      for (const [i, line] of conversation.entries()) {
        const kill = i === at ? moment : '';
        if (kill === 'before') bridge.lose();
        const text = line.slice(1);
        if (kill.startsWith('in flight')) swallow(sockets);
        if (line.startsWith('>')) await socket.write(encode(text));
        else bridge.say(text);
        if (kill === 'after' || kill.startsWith('in flight')) bridge.lose();
        if (kill.endsWith('again')) {
          clock.pass(250);
          await settled();
          bridge.lose();
        }
      }
      clock.pass(500);
      await settled();
      assert.deepEqual(
        ear.texts,
        conversation.filter((line) => line.startsWith('<')).map((line) => line.slice(1)),
      );
      assert.deepEqual(
        bridge.heard,
        conversation.filter((line) => line.startsWith('>')).map((line) => line.slice(1)),
      );
      assert.equal(sockets.all.length, moment.endsWith('again') ? 3 : 2);
      await closed(socket, sockets);
      bridge.link.free();
    });
  }
}

/** What is sent on the last socket from now on arrives at neither side. */
function swallow({ last }: Sockets): void {
  last.onWrite = () => undefined;
  last.say = () => undefined;
}

test('calls of a peer are answered across lost sockets, and it closes in order', async () => {
  const { socket, clock, bridge, sockets } = await bridged({}, false);
  bridge.onText = (text) => {
    const { id, params } = JSON.parse(text);
    if (id !== undefined) bridge.say(JSON.stringify({ jsonrpc: '2.0', id, result: params }));
  };
  const peer = new Peer(await init(), { profile: Profile.Plain, role: Role.Client, clock }).connect(socket);
  await settled();
  const first = peer.call('m', [1]);
  await settled();
  bridge.lose();
  const second = peer.call('m', [2]);
  clock.pass(250);
  await settled();
  assert.deepEqual(await Promise.all([first, second]), [[1], [2]]);
  const closing = peer.close();
  await settled();
  sockets.last.end(1000);
  assert.equal(await closing, undefined);
  bridge.link.free();
});

test('texts wait for room without a socket, in order, and go on when there is one', async () => {
  const { socket, clock, bridge, sockets } = await bridged({ bytesMax: 400 });
  bridge.lose();
  const order: number[] = [];
  const writes = [1, 2, 3, 4, 5].map((n) => socket.write(encode(`[${n}${' '.repeat(70)}]`)).then(() => order.push(n)));
  await settled();
  assert.deepEqual(order, [1]);
  clock.pass(250);
  await settled();
  await Promise.all(writes);
  assert.deepEqual(order, [1, 2, 3, 4, 5]);
  assert.deepEqual(
    bridge.heard.map((text) => text[1]),
    ['1', '2', '3', '4', '5'],
  );
  await closed(socket, sockets);
  bridge.link.free();
});

test('a socket that does not empty is given no more, and one that is closing nothing', async () => {
  const { socket, sockets, clock } = await begin();
  sockets.last.open();
  sockets.last.say(greeting);
  const first = sockets.last;
  first.bufferedAmount = 2 << 20;
  await socket.write(encode('[1]'));
  clock.pass(10);
  assert.deepEqual(first.written, []);
  first.bufferedAmount = 0;
  clock.pass(10);
  assert.deepEqual(first.written, ['[1]']);
  first.readyState = 2;
  await socket.write(encode('[2]'));
  assert.deepEqual(first.written, ['[1]']);
  first.end();
  clock.pass(250);
  await settled();
  sockets.last.open();
  sockets.last.say('{"parley":{"session":"s","received":1}}');
  assert.deepEqual(sockets.last.written, ['[2]']);
  await closed(socket, sockets);
});

test('delays double up to their bound, are spread, and end', async () => {
  const delays: number[] = [];
  const spread = [0, 0.5, 1, 0.5, 0.5];
  const { socket, clock, sockets, ear } = await begin({
    attemptsMax: 6,
    delayMs: 100,
    delayMaxMs: 400,
    random: () => spread.shift()!,
  });
  while (socket.state.phase !== 'closed') {
    sockets.last.end(1006);
    if (socket.state.phase !== 'waiting') break;
    delays.push(socket.state.delayMs);
    clock.pass(socket.state.delayMs);
    await settled();
  }
  assert.deepEqual(delays, [50, 200, 600, 400, 400]);
  const [error] = ear.ends;
  assert.ok(error instanceof SocketError && error.code === 1006 && /gave up after 6 attempts/.test(error.message));
  assert.equal(sockets.all.length, 6);
});

test('a user who does not want to wait does not', async () => {
  const { socket, sockets } = await begin();
  socket.retryNow(); // it is connecting already
  sockets.last.end();
  socket.retryNow();
  await settled();
  assert.equal(sockets.all.length, 2);
  assert.deepEqual(socket.state, { phase: 'connecting', attempt: 1 });
  await closed(socket, sockets);
});

test('news of the network hasten the wait, and replace a socket that may be dead', async () => {
  let news: Parameters<WakeUps>[0] | undefined;
  let isDeaf = false;
  const { socket, sockets, ear } = await begin({
    wakeUps: (to) => {
      news = to;
      return () => (isDeaf = true);
    },
  });
  sockets.last.open();
  sockets.last.say(greeting);
  news!.retry(); // it is open
  assert.equal(sockets.all.length, 1);
  news!.replace();
  await settled();
  const [first, second] = sockets.all;
  assert.deepEqual(first!.closedWith, { code: 4002, reason: 'superseded' });
  first!.say('[0]'); // of an older attempt
  first!.end(1006);
  second!.open();
  second!.say(greeting);
  second!.say('[1]');
  assert.deepEqual(ear.texts, ['[1]']);
  second!.end();
  news!.retry();
  await settled();
  assert.equal(sockets.all.length, 3);
  await closed(socket, sockets);
  assert.ok(isDeaf);
});

test('a socket on which nothing is heard any more is left, and the session goes on over the next one', async () => {
  const { socket, sockets, clock, ear, phases } = await begin();
  const passHearing = (ms: number): void => {
    clock.pass(ms);
    clock.runHops();
  };
  sockets.last.open();
  sockets.last.say(greeting);
  passHearing(1000_000); // nothing was promised
  sockets.last.say('');
  passHearing(49_999);
  sockets.last.say('[1]'); // as good as a sign of life
  passHearing(49_999);
  assert.equal(phases.at(-1), 'open');
  passHearing(1);
  assert.ok(socket.state.phase === 'waiting' && /nothing was heard for 50 s/.test(socket.state.error.message));
  assert.deepEqual(sockets.last.closedWith, { code: 4002, reason: 'superseded' });
  passHearing(250);
  await settled();
  assert.match(sockets.last.url, /&received=1$/); // signs of life are not counted
  sockets.last.open();
  sockets.last.say('{"parley":{"session":"s","received":0}}');
  sockets.last.say('[2]');
  assert.deepEqual(ear.texts, ['[1]', '[2]']);
  await closed(socket, sockets);
});

test('a large text that is long on its way is not cut a second time', async () => {
  const { socket, sockets, clock, phases } = await begin();
  sockets.last.open();
  sockets.last.say(greeting);
  sockets.last.say('');
  clock.pass(50_000);
  clock.runHops();
  clock.pass(250);
  await settled();
  sockets.last.open();
  sockets.last.say(greeting);
  clock.pass(600_000); // while it comes
  clock.runHops();
  assert.equal(phases.at(-1), 'open');
  sockets.last.say('[1]');
  clock.pass(50_000);
  clock.runHops();
  assert.equal(phases.at(-1), 'waiting');
  await closed(socket, sockets);
});

test('what came while the page slept is heard before the silence is judged', async () => {
  const { socket, sockets, clock, phases } = await begin();
  sockets.last.open();
  sockets.last.say(greeting);
  sockets.last.say('');
  clock.pass(10_000_000);
  sockets.last.say('');
  clock.runHops();
  assert.equal(phases.at(-1), 'open');
  clock.pass(50_000);
  socket.watch(({ phase }) => phase === 'closed' && clock.runHops()); // the alarm has rung, and the socket is closed
  await closed(socket, sockets);
  assert.deepEqual(socket.state, { phase: 'closed', error: undefined });
});

test('signs of life can be done without, and mean nothing on a plain socket', async () => {
  const without = await begin({ beatMs: 0 });
  assert.equal(without.sockets.last.url, 'ws://h/ws?token=t');
  without.sockets.last.open();
  without.sockets.last.say(greeting);
  without.sockets.last.say('');
  without.clock.pass(1000_000);
  without.clock.runHops();
  assert.equal(without.socket.state.phase, 'open');
  await closed(without.socket, without.sockets);

  const plain = await begin();
  plain.sockets.last.open('');
  plain.sockets.last.say('');
  plain.clock.pass(1000_000);
  plain.clock.runHops();
  assert.deepEqual(plain.ear.texts, ['']);
  assert.equal(plain.socket.state.phase, 'open');
  await closed(plain.socket, plain.sockets);
});

test('a server without the subprotocol has a plain socket, whose loss ends the session', async () => {
  const { socket, sockets, ear } = await begin();
  await socket.write(encode('[1]')); // before there is a socket
  sockets.last.open('');
  assert.deepEqual(socket.state, { phase: 'open', isResumable: false, session: '' });
  assert.deepEqual(sockets.last.written, ['[1]']);
  sockets.last.say('[2]');
  assert.deepEqual(ear.texts, ['[2]']);
  sockets.last.end(1006);
  assert.ok(ear.ends[0] instanceof SocketError);
  assert.equal(socket.state.phase, 'closed');
  assert.equal(sockets.all.length, 1);
});

test('a session that was resumable is not continued on a plain socket', async () => {
  const { sockets, clock, ear } = await begin();
  sockets.last.open();
  sockets.last.say(greeting);
  sockets.last.end();
  clock.pass(250);
  await settled();
  sockets.last.open('');
  assert.match(String(ear.ends[0]), /does not resume sessions any more/);
});

for (const [name, end, check] of [
  ['4001 is a session that is lost', [4001, 'resume-lost'], (error: unknown) => isEndedBy(ResumeFailureKind.Lost, error)],
  [
    '4002 is a session that somebody else has',
    [4002, 'superseded'],
    (error: unknown) => isEndedBy(ResumeFailureKind.Superseded, error),
  ],
  [
    'any other code of the application ends it',
    [4003, 'server-exited: exit status 1'],
    (error: unknown) => error instanceof SocketError && error.code === 4003 && error.reason.startsWith('server-exited'),
  ],
  [
    'so does a refusal, which stays one',
    [4007, 'refused: the token is missing or wrong'],
    (error: unknown) => error instanceof SocketError && error.code === 4007 && error.reason.startsWith('refused'),
  ],
  ['a socket closed in order ends it without an error', [1000, ''], (error: unknown) => error === undefined],
] as const) {
  test(name, async () => {
    const { sockets, socket, ear, clock } = await begin();
    sockets.last.open();
    sockets.last.say(greeting);
    sockets.last.end(end[0], end[1]);
    assert.equal(ear.ends.length, 1);
    assert.ok(check(ear.ends[0]));
    assert.equal(socket.state.phase, 'closed');
    clock.pass(100_000);
    await settled();
    assert.equal(sockets.all.length, 1);
    await assert.rejects(socket.write(encode('[1]')), /closed/);
  });
}

test('a session without a socket expires, and says so to whoever waits for room', async () => {
  const { sockets, clock, socket, ear } = await begin({ attemptsMax: Infinity, bytesMax: 300 });
  sockets.last.open();
  sockets.last.say(greeting);
  sockets.last.end();
  await socket.write(encode('x'.repeat(200)));
  const waits = assert.rejects(socket.write(encode('x'.repeat(200))), ({ cause }: Error) =>
    isEndedBy(ResumeFailureKind.Expired, cause),
  );
  for (let second = 0; second < 60; second++) {
    sockets.last.end();
    clock.pass(1000);
    await settled();
  }
  sockets.last.end();
  assert.ok(isEndedBy(ResumeFailureKind.Expired, ear.ends[0]));
  await waits;
});

test('what is no greeting ends the session, and closes the socket by name', async () => {
  const { sockets, ear } = await begin();
  sockets.last.open();
  sockets.last.say('{"jsonrpc":"2.0","method":"a"}');
  assert.ok(isEndedBy(ResumeFailureKind.Greeting, ear.ends[0]));
  assert.deepEqual(sockets.last.closedWith, { code: 4001, reason: 'resume-lost' });
});

test('what is neither text nor bytes ends the session', async () => {
  const { sockets, ear } = await begin();
  sockets.last.open();
  sockets.last.say(7);
  assert.ok(ear.ends[0] instanceof TypeError);
});

test('an attempt that gets no greeting fails in its time', async () => {
  const { sockets, clock, socket } = await begin({ connectTimeoutMs: 1000 });
  sockets.last.open();
  clock.pass(1000);
  assert.ok(socket.state.phase === 'waiting' && /no session after 1000 ms/.test(socket.state.error.message));
  assert.equal(sockets.last.closedWith?.code, 4002);
  await closed(socket, sockets);
});

test('a signal ends it, also one that was aborted before', async () => {
  const controller = new AbortController();
  const { sockets, ear } = await begin({ signal: controller.signal });
  const reason = new Error('enough');
  controller.abort(reason);
  assert.deepEqual(ear.ends, [reason]);
  assert.equal(sockets.last.closedWith?.code, 1000);
  const late = await begin({ signal: controller.signal });
  assert.deepEqual(late.ear.ends, [reason]);
  assert.equal(late.sockets.all.length, 0);
});

test('close writes what was accepted, and waits for the socket, but not for ever', async () => {
  const { socket, sockets, clock } = await begin();
  sockets.last.open();
  sockets.last.say(greeting);
  sockets.last.bufferedAmount = 2 << 20;
  await socket.write(encode('[1]'));
  const closing = socket.close();
  assert.deepEqual(sockets.last.written, ['[1]']);
  assert.deepEqual(sockets.last.closedWith, { code: 1000, reason: '' });
  clock.pass(2000); // nobody answers
  await closing;
  assert.deepEqual(socket.state, { phase: 'closed', error: undefined });
  await socket.close();
});

test('a watcher may close it in whatever it is told', async () => {
  for (const when of ['connecting', 'open', 'waiting']) {
    const { socket, sockets, ear } = await begin();
    socket.watch(({ phase }) => {
      if (phase === when) void socket.close();
    });
    sockets.last.open();
    sockets.last.say(greeting);
    sockets.last.end();
    assert.deepEqual(ear.ends, [undefined]);
    assert.equal(socket.state.phase, 'closed');
  }
});

async function closed(socket: ResumingSocket, sockets: Sockets): Promise<void> {
  const closing = socket.close();
  for (const each of sockets.all) each.end(1000);
  await closing;
}

test('a browser tells when it is online behind offline, and when it is looked at', () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  const window = new EventTarget();
  const news: string[] = [];
  const stubs = {
    document: page,
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
  };
  Object.assign(globalThis, stubs);
  try {
    const stop = wakeUps({ retry: () => news.push('retry'), replace: () => news.push('replace') });
    const tell = (target: EventTarget, type: string): boolean => target.dispatchEvent(new Event(type));
    tell(page, 'visibilitychange');
    page.visibilityState = 'visible';
    tell(page, 'visibilitychange');
    tell(window, 'online');
    tell(window, 'offline');
    tell(window, 'online');
    tell(window, 'online');
    assert.deepEqual(news, ['retry', 'retry', 'replace', 'retry']);
    stop();
    tell(window, 'online');
    tell(page, 'visibilitychange');
    assert.equal(news.length, 4);
  } finally {
    for (const name of Object.keys(stubs)) Reflect.deleteProperty(globalThis, name);
  }
});

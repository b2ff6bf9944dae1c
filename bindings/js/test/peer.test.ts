// A session against fakes: what is called, served, timed, cancelled and ended.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  Code,
  EventKind,
  init,
  Json,
  Mode,
  ParseError,
  Peer,
  Profile,
  Reason,
  Role,
  RPCError,
  SessionError,
  UsageError,
  type Message,
  type Observation,
} from '../src/node.js';
import type { Instance } from '../src/instance.js';
import { dial, failsAs, settled, Wire } from './fakes.js';

test('a call resolves with its result, whatever the order of answers', async () => {
  const { peer, wire } = await dial();
  const [a, b, raw] = [peer.call('a', { n: 1 }), peer.call('b'), peer.callRaw('c', [1])];
  await settled();
  assert.deepEqual(wire.messages, [
    { jsonrpc: '2.0', id: 1, method: 'a', params: { n: 1 } },
    { jsonrpc: '2.0', id: 2, method: 'b' },
    { jsonrpc: '2.0', id: 3, method: 'c', params: [1] },
  ]);
  wire.hear('{"jsonrpc":"2.0","id":3,"result":{"n":9007199254740993,"s":"\\"1\\""}}\n');
  wire.hear({ jsonrpc: '2.0', id: 2, result: null });
  wire.hear({ jsonrpc: '2.0', id: 1, result: 'one' });
  assert.equal(await a, 'one');
  assert.equal(await b, null);
  const result = await raw;
  assert.equal(result.text, '{"n":9007199254740993,"s":"\\"1\\""}');
  assert.deepEqual(result.exact(), { n: 9007199254740993n, s: '"1"' });
  assert.equal(result.value, result.value);
  await peer.dispose();
});

test('answers that are errors, or no answers, say so', async () => {
  const { peer, wire } = await dial();
  const failed = peer.call('a');
  const broken = peer.call('b');
  await settled();
  wire.hear({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no\nsuch', data: { x: 1 } } });
  wire.hear('{"jsonrpc":"2.0","id":2}\n');
  await assert.rejects(failed, (error) => {
    assert.ok(error instanceof RPCError);
    assert.deepEqual([error.code, error.text, (error.data as Json).value, error.method], [-32601, 'no\nsuch', { x: 1 }, 'a']);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
  await assert.rejects(broken, (error) => error instanceof ParseError && error.raw.text === '{"jsonrpc":"2.0","id":2}');
  await peer.dispose();
});

test('bad arguments fail at the call, and write nothing (CALL-8)', async () => {
  const { peer, wire } = await dial();
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  await assert.rejects(peer.call('m', cyclic), failsAs(UsageError.BadParams));
  await assert.rejects(peer.call('m', 7), failsAs(UsageError.BadParams));
  await assert.rejects(peer.call(''), failsAs(UsageError.BadMethod));
  await assert.rejects(peer.call('m', new Json('{')), failsAs(UsageError.BadJSON));
  await assert.rejects(peer.call('m', [], { timeoutMs: -1 }), RangeError);
  await assert.rejects(peer.call('m', [], { timeoutMs: 0 }), failsAs(UsageError.Timeout));
  await settled();
  assert.deepEqual(wire.written, []);
  await peer.dispose();
});

test('text that goes out holds no lone surrogate (MSG-1)', async () => {
  const { peer, wire } = await dial();
  await peer.notify('m', ['a\ud800b', '\\ud800', '😀']);
  await peer.flush();
  assert.deepEqual(wire.messages[0].params, ['a\ufffdb', '\\ud800', '😀']);
  await peer.dispose();
});

test('a timeout counts from the call, and the answer that lies in the transport wins (CALL-3)', async () => {
  const { peer, wire, clock } = await dial();
  const late = peer.call('late', [], { timeoutMs: 100 });
  const early = peer.call('early', [], { timeoutMs: 100 });
  await settled();
  clock.pass(100);
  assert.equal(clock.hops.length, 1, 'what the transport holds is delivered first');
  wire.hear({ jsonrpc: '2.0', id: 2, result: 'in time' });
  clock.runHops();
  assert.equal(await early, 'in time');
  await assert.rejects(late, (error) => failsAs(UsageError.Timeout)(error) && /peer: no answer/.test((error as Error).message));
  assert.equal(peer.stats.late, 0);
  wire.hear({ jsonrpc: '2.0', id: 1, result: 'too late' });
  assert.equal(peer.stats.late, 1);
  await peer.dispose();
});

test('a hold that ends with every call answered is over: the next deadline passes (CALL-3)', async () => {
  const { peer, wire, clock } = await dial();
  const answered = peer.call('m', [], { timeoutMs: 100 });
  await settled();
  clock.pass(100);
  wire.hear({ jsonrpc: '2.0', id: 1, result: 'in time' });
  clock.runHops();
  assert.equal(await answered, 'in time');
  let outcome: unknown;
  void peer.call('n', [], { timeoutMs: 50 }).catch((error: unknown) => (outcome = error));
  await settled();
  clock.pass(50);
  assert.equal(clock.hops.length, 1);
  clock.runHops();
  await settled();
  assert.ok(failsAs(UsageError.Timeout)(outcome));
  await peer.dispose();
});

test('while bytes go on arriving a deadline is held, but no longer than 10 ms (CALL-3)', async () => {
  const { peer, wire, clock } = await dial();
  const calls = [1, 2].map(() => peer.call('m', [], { timeoutMs: 100 }));
  await settled();
  clock.pass(100);
  const answer = '{"jsonrpc":"2.0","id":1,"result":"in pieces"}\n';
  wire.hear(answer.slice(0, 20));
  clock.runHop();
  assert.equal(clock.hops.length, 1, 'another hop: more may come');
  wire.hear(answer.slice(20));
  assert.equal(await calls[0], 'in pieces');
  clock.pass(10);
  clock.runHop();
  await assert.rejects(calls[1]!, failsAs(UsageError.Timeout));
  await peer.dispose();
});

test('a timeout beyond 2^31 ms does not fire at once, and fires in the end', async () => {
  const { peer, clock } = await dial();
  const month = 31 * 24 * 3600 * 1000;
  let outcome: unknown;
  const call = peer.call('m', [], { timeoutMs: month }).catch((error: unknown) => (outcome = error));
  await settled();
  clock.pass(month - 1);
  clock.runHops();
  await settled();
  assert.equal(outcome, undefined);
  clock.pass(1);
  clock.runHops();
  await call;
  assert.ok(failsAs(UsageError.Timeout)(outcome));
  await peer.dispose();
});

test('a signal cancels the call, and the peer is told once (CALL-6)', async () => {
  const { peer, wire } = await dial({ profile: Profile.LSP, framing: 3 }, undefined, true);
  const controller = new AbortController();
  const call = peer.call('m', [], { signal: controller.signal });
  await settled();
  controller.abort(new Error('typed on'));
  await assert.rejects(call, (error) => failsAs(UsageError.Canceled)(error) && /typed on/.test((error as Error).message));
  await settled();
  assert.deepEqual(
    wire.messages.map(({ method }) => method),
    ['m', '$/cancelRequest'],
  );
  await assert.rejects(peer.call('n', [], { signal: controller.signal }), failsAs(UsageError.Canceled));
  await peer.dispose();
});

test('progress reaches its call before the outcome, and restarts the budget (CALL-4, CALL-10)', async () => {
  const { peer, wire, clock } = await dial({ profile: Profile.LSP }, undefined, true);
  const seen: unknown[] = [];
  const options = {
    timeoutMs: 100,
    extendMs: 100,
    budgetMaxMs: 250,
    progressToken: '"t"',
    onProgress: (p: Json) => seen.push(p.value),
  };
  const call = peer.call('m', { workDoneToken: 't' }, options).finally(() => seen.push('outcome'));
  await settled();
  clock.pass(90);
  wire.hear({ jsonrpc: '2.0', method: '$/progress', params: { token: 't', value: 1 } });
  clock.pass(90);
  wire.hear({ jsonrpc: '2.0', id: 1, result: 'done' });
  assert.equal(await call, 'done');
  assert.deepEqual(seen, [{ token: 't', value: 1 }, 'outcome']);
  await peer.dispose();
});

test('handlers answer with what they return and throw', async () => {
  const problems: string[] = [];
  const { peer, wire } = await dial({ onError: (error, where) => problems.push(`${where}: ${(error as Error).message}`) }, (p) =>
    p
      .handle<number[]>('add', {}, ({ value: [a = 0, b = 0] }) => a + b)
      .handle('nothing', {}, async () => undefined)
      .handle('refuse', {}, () => {
        throw new RPCError(Code.InvalidParams, 'want numbers', { got: 'nothing' });
      })
      .handle('crash', {}, () => {
        throw new Error('secret');
      })
      .handle('cycle', {}, () => {
        const cyclic: unknown[] = [];
        return cyclic.push(cyclic) && cyclic;
      })
      .handle('note', { notification: true }, () => {
        throw new Error('in a notification');
      }),
  );
  for (const [id, method] of ['add', 'nothing', 'refuse', 'crash', 'cycle', 'unknown'].entries()) {
    wire.hear({ jsonrpc: '2.0', id, method, params: [1, 2] });
  }
  wire.hear({ jsonrpc: '2.0', method: 'note' });
  await settled();
  const answers = wire.messages.sort((a, b) => a.id - b.id);
  assert.deepEqual(answers.slice(0, 3), [
    { jsonrpc: '2.0', id: 0, result: 3 },
    { jsonrpc: '2.0', id: 1, result: null },
    { jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'want numbers', data: { got: 'nothing' } } },
  ]);
  assert.deepEqual(
    answers.slice(3).map(({ error }) => error.code),
    [-32603, -32603, -32601],
  );
  assert.doesNotMatch(JSON.stringify(answers), /secret/);
  assert.deepEqual(problems.map((problem) => problem.split(':')[0]).sort(), [
    'handler of "crash"',
    'handler of "cycle"',
    'handler of "note"',
  ]);
  await peer.dispose();
});

test('a signal that a handler first looks at behind the cancel is aborted, with why (REQ-4)', async () => {
  let goOn = (): void => undefined;
  const signals: AbortSignal[] = [];
  const { wire } = await dial(
    { profile: Profile.LSP, role: Role.Server },
    (p) =>
      p.handle('m', {}, async (_, context) => {
        await new Promise<void>((resolve) => (goOn = resolve));
        signals.push(context.signal, context.signal);
      }),
    true,
  );
  wire.hear({ jsonrpc: '2.0', id: 1, method: 'm' });
  await settled();
  wire.hear({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } });
  await settled();
  goOn();
  await settled();
  const [signal, again] = signals;
  assert.equal(signal, again);
  assert.ok(signal!.aborted);
  assert.ok(signal!.reason instanceof RPCError);
});

test('order runs one at a time, and a cancel aborts the signal (SCHED-1, REQ-4)', async () => {
  const log: string[] = [];
  const { peer, wire } = await dial(
    { profile: Profile.LSP, role: Role.Server },
    (p) =>
      p.handle<[string]>('m', { mode: Mode.Order }, async ({ value: [name] }, { signal }) => {
        log.push(`${name} begins`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        log.push(`${name} ends`);
      }),
    true,
  );
  wire.hear({ jsonrpc: '2.0', id: 1, method: 'm', params: ['a'] });
  wire.hear({ jsonrpc: '2.0', id: 2, method: 'm', params: ['b'] });
  await settled();
  assert.deepEqual(log, ['a begins']);
  wire.hear({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } });
  await settled();
  assert.deepEqual(log, ['a begins', 'a ends', 'b begins']);
  assert.equal(wire.messages.length, 1);
  await peer.dispose();
  await settled();
  assert.deepEqual(log.slice(3), ['b ends'], 'the end of the session aborts what runs');
});

test('messages come in order, are answered once, and end with the session', async () => {
  const { peer, wire } = await dial();
  const received: Message[] = [];
  const consumer = (async () => {
    for await (const message of peer.messages()) received.push(message);
  })();
  wire.hear({ jsonrpc: '2.0', id: 7, method: 'ask', params: { a: 1 } });
  wire.hear({ jsonrpc: '2.0', method: 'tell' });
  wire.hear({ jsonrpc: '2.0', id: 8, method: 'ask' });
  await settled();
  const [ask, tell, again] = received as [Message, Message, Message];
  assert.deepEqual([ask.method, ask.params?.value, ask.isRequest], ['ask', { a: 1 }, true]);
  assert.deepEqual([tell.method, tell.params, tell.isRequest], ['tell', undefined, false]);
  await ask.reply({ ok: true });
  await again.fail(Code.MethodNotFound, 'no');
  await assert.rejects(ask.reply(1), failsAs(UsageError.Answered));
  await assert.rejects(tell.reply(1), failsAs(UsageError.NotRequest));
  await assert.rejects(peer.messages().next(), failsAs(UsageError.Unsupported));
  wire.hangUp();
  await consumer;
  assert.deepEqual(
    wire.messages.map(({ id }) => id),
    [7, 8],
  );
  assert.equal(await peer.closed, undefined);
});

test('reading stops while answers fill the queue, and goes on (BACK-3)', async () => {
  const { peer, wire } = await dial({ limits: { outBytesMax: 50 } }, (p) => p.handle('m', {}, () => 'x'.repeat(100)));
  wire.isStuck = true;
  for (let id = 0; id < 4; id++) wire.hear({ jsonrpc: '2.0', id, method: 'm' });
  await settled();
  assert.ok(wire.isPaused);
  wire.release();
  await settled();
  assert.ok(!wire.isPaused);
  assert.equal(wire.messages.length, 4);
  await peer.dispose();
});

test('the end of the peer loses its calls with a reason, and later verbs say the same', async () => {
  const { peer, wire } = await dial();
  const call = peer.call('m');
  await settled();
  wire.hear('{"jsonrpc":');
  wire.hangUp();
  await assert.rejects(call, (error) => {
    assert.ok(failsAs(UsageError.Closed)(error));
    const cause = (error as Error).cause;
    return cause instanceof SessionError && cause.reason === Reason.Violation && /truncated/.test(cause.message);
  });
  const ended = await peer.closed;
  assert.equal(ended?.reason, Reason.Violation);
  assert.ok(wire.isClosed);
  await assert.rejects(peer.notify('m'), failsAs(UsageError.Closed));
  await assert.rejects(peer.flush(), failsAs(UsageError.Closed));
  assert.equal(peer.state.isClosed, true);
});

test('a transport that fails while it is read says so', async () => {
  const { peer, wire } = await dial();
  const call = peer.call('m');
  wire.hangUp(new Error('ECONNRESET'));
  await assert.rejects(call, /session: .*reading from the peer failed: ECONNRESET/);
  assert.equal((await peer.closed)?.reason, Reason.ReadFailed);
});

test('close tells the peer what it gives up, writes what is owed, and is repeatable', async () => {
  const { peer, wire } = await dial();
  const call = peer.call('m');
  await settled();
  const [first, second] = [peer.close(), peer.close()];
  await assert.rejects(
    call,
    (error) => failsAs(UsageError.Closed)(error) && /shut down on this side/.test((error as Error).message),
  );
  assert.deepEqual([await first, await second], [undefined, undefined]);
  assert.ok(wire.isClosed);
});

test('what nobody waits for is observed', async () => {
  const seen: Observation[] = [];
  const { peer, wire } = await dial({ role: Role.Client, observe: (observation) => seen.push(observation) });
  wire.hear('warming up\n');
  wire.hear({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } });
  wire.hangUp();
  await peer.closed;
  assert.deepEqual(
    seen.map(({ kind }) => kind),
    [EventKind.Noise, EventKind.PeerError, EventKind.Ending, EventKind.Closed],
  );
  assert.equal(seen[0]!.text, 'w', 'the sample ends with the byte that decided');
});

test('a consumer that has left holds up no shutdown', async () => {
  const { peer, wire } = await dial();
  for (const id of [1, 2]) wire.hear({ jsonrpc: '2.0', id, method: 'ask' });
  for await (const message of peer.messages()) {
    assert.equal(message.method, 'ask');
    break;
  }
  assert.equal(await peer.shutdown(), undefined);
  assert.deepEqual(
    wire.messages.map(({ id, error }) => [id, error.code]),
    [
      [1, -32603],
      [2, -32603],
    ],
  );
});

test('a trap ends all sessions of its engine, with what Go said', async () => {
  const engine = await init((await init()).module);
  const [first, second] = [new Wire(), new Wire()];
  const peers = [first, second].map((wire) => new Peer(engine, { profile: Profile.Plain, role: Role.Client }).connect(wire));
  const calls = peers.map((peer) => peer.call('m'));
  const { memory } = (engine as unknown as { instance: Instance }).instance;
  memory.wasm!.grow(65536 - memory.bytes.length / 65536); // nothing is left for Go
  for (let i = 0; i < 16 && engine.trap === undefined; i++) first.hear(' '.repeat(1 << 20));
  for (const call of calls) {
    await assert.rejects(call, (error) => {
      const { cause } = error as Error;
      return failsAs(UsageError.Closed)(error) && cause instanceof SessionError && cause.cause === engine.trap;
    });
  }
  for (const peer of peers)
    assert.match((await peer.closed)?.message ?? '', /the engine failed: .*out of memory|cannot allocate/);
  assert.ok(first.isClosed && second.isClosed);
  const again = new Peer(await init(), { profile: Profile.Plain, role: Role.Client }).connect(new Wire());
  await again.notify('another engine goes on');
  await again.dispose();
});

test('a transport that is claimed, and a peer that is connected, are refused', async () => {
  const { peer, wire } = await dial();
  const other = new Peer(await init(), { profile: Profile.Plain, role: Role.Client });
  assert.throws(() => other.connect(wire), /claimed/);
  assert.equal(wire.isClosed, false);
  assert.throws(() => peer.connect(new Wire()), /once/);
  assert.throws(() => peer.handle('m', {}, () => 1), /before connect/);
  await peer.dispose();
  const never = new Peer(await init(), { profile: Profile.Plain, role: Role.Client });
  await assert.rejects(never.call('m'), failsAs(UsageError.Closed));
  assert.equal(await never.close(), undefined);
});

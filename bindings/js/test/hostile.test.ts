// Servers that misbehave, one fault or several: nothing hangs, every failure is typed, no process survives.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import {
  CallError,
  ChildTransport,
  Framing,
  init,
  ParseError,
  Peer,
  Profile,
  ProtocolError,
  Reason,
  Role,
  RPCError,
  SessionError,
  UsageError,
  Violation,
  type CallOptions,
  type PeerOptions,
} from '../src/node.js';
import { failsAs, settled } from './fakes.js';
import { noParley, parley } from './parley.js';

const hostileMs = 15_000; // bounds one meeting, its end included
const deafMs = 300; // what a call is given that is not going to be answered

const plain: PeerOptions = { profile: Profile.Plain, role: Role.Client };
const header: PeerOptions = { ...plain, framing: Framing.Header };
const length4: PeerOptions = { ...plain, framing: Framing.Length4, limits: { frameBytesMax: 4 << 20 } };
const lsp: PeerOptions = { profile: Profile.LSP, role: Role.Client, graceNs: 200e6 };
const mcp: PeerOptions = { profile: Profile.MCP, role: Role.Client };

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
before(() => process.on('unhandledRejection', note));
after(() => {
  process.off('unhandledRejection', note);
  assert.deepEqual(unhandled, []);
});

/** A test that starts "parley peer" with args, talks, and closes; nothing of it is left then. */
function meet(args: string, options: PeerOptions, talk: (peer: Peer, child: ChildTransport) => Promise<void>, name = args): void {
  test(name, { skip: noParley, timeout: hostileMs }, async () => {
    const mark = `PARLEY_MEETING=${crypto.randomUUID()}`;
    const [key = '', value] = mark.split('=');
    const child = new ChildTransport(parley!, ['peer', ...args.split(' ')], {
      graceMs: 200,
      terminateMs: 200,
      env: { ...process.env, [key]: value },
    });
    const peer = new Peer(await init(), options).connect(child);
    await talk(peer, child);
    const [end, again] = await Promise.all([peer.close(), peer.close()]);
    assert.equal(end, again);
    if (end !== undefined) typed(end);
    typed(await failureOf(peer.call('late')));
    await child.exited;
    while (processesWith(mark) > 0) await settled(); // whoever is left has its signal
  });
}

/** The processes that live and were started with that variable; their zombies are init's. */
function processesWith(mark: string): number {
  if (process.platform !== 'linux') return 0;
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark);
    } catch (error) {
      assert.ok(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''), `${error}`);
      return false;
    }
  }).length;
}

async function failureOf(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.then(
    (value) => assert.fail(`it succeeded, with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

function typed(error: unknown): void {
  const types = [CallError, RPCError, ParseError, SessionError];
  assert.ok(
    types.some((type) => error instanceof type),
    `untyped: ${error}`,
  );
}

/** Calls with params of its own, and demands that an answer is the answer to them. */
async function ask(peer: Peer, n: number, options?: CallOptions): Promise<void> {
  assert.deepEqual(await peer.call('ask', [n], options), [n]);
}

async function askAll(peer: Peer): Promise<void> {
  await Promise.all(Array.from({ length: 20 }, (_, n) => ask(peer, n)));
}

const hello = { capabilities: {}, protocolVersion: '2025-11-25', clientInfo: { name: 'test', version: '0' } };

// Faults that a client can live with: every call has its own answer.
for (const [args, options] of [
  ['echo', plain],
  ['echo --split 3 --delay 1ms', plain],
  ['echo --framing header --split 1', header],
  ['echo --framing length4 --split 2', length4],
  ['echo --out-of-order', plain],
  ['echo --stderr-flood 4000000', plain],
  ['echo --ignore-eof', plain],
  ['echo --hold-stdout 10m', plain],
  ['echo --ignore-eof --hold-stdout 10m', plain],
] as const) {
  meet(args, options, askAll);
}

meet('echo --answer-twice 1', plain, async (peer) => {
  await askAll(peer);
  const { late, unknown } = peer.stats;
  assert.ok(late + unknown >= 19, `${late} late and ${unknown} unknown`); // the last may still be under way
});

meet('echo --junk 1', plain, async (peer) => {
  await askAll(peer);
  assert.equal(peer.stats.noise, 20); // LINE-7
});

meet('echo --flood 100000', plain, async (peer) => {
  await askAll(peer);
  while (peer.stats.dropped === 0) await ask(peer, 1); // BACK-1
});

// Faults that keep the answer: the budget ends the call, and close all that is left.
for (const args of [
  'echo --drop 1',
  'echo --never-answer',
  'echo --never-read',
  'echo --never-read --ignore-eof',
  'echo --never-answer --flood 50000',
  'echo --delay 10m',
  'echo --never-read --hold-stdout 10m',
]) {
  meet(args, plain, async (peer) => {
    await assert.rejects(ask(peer, 1, { timeoutMs: deafMs }), failsAs(UsageError.Timeout));
  });
}

meet(
  'echo --never-read',
  { ...plain, graceNs: 200e6, shutdownNs: 200e6 },
  async (peer) => {
    const text = ['x'.repeat(4 << 20)]; // more than the pipe and the queue hold
    const calls = [1, 2, 3].map(() => peer.call('tell', text, { timeoutMs: deafMs }));
    for (const call of calls) await assert.rejects(call, failsAs(UsageError.Timeout));
  },
  'echo --never-read, told too much',
);

// Faults that end the session: every call is told why, with what became of the process.
for (const [args, options, violation] of [
  ['echo --die-at-byte 0', plain, undefined],
  ['echo --die-at-byte 0 --hold-stdout 10m', plain, undefined],
  ['echo --die-at-byte 0 --stderr-flood 1000000', plain, undefined],
  ['echo --die-at-byte 7', plain, Violation.Truncated],
  ['echo --framing header --die-at-byte 5', header, Violation.Truncated],
  ['echo --framing header --die-at-byte 30', header, Violation.Truncated],
  ['echo --framing header --junk 1', header, Violation.Noise],
  ['lsp --junk 1', lsp, Violation.Noise],
  ['lsp --die-at-byte 100', lsp, Violation.Truncated],
  ['lsp --die-at-byte 100 --hold-stdout 10m', lsp, Violation.Truncated],
  ['mcp --die-at-byte 20 --split 1 --ignore-eof', mcp, Violation.Truncated],
] as const) {
  meet(args, options, async (peer) => {
    const failure: unknown = await failureOf(peer.call('initialize', hello));
    const end = await peer.closed;
    for (const error of [failure, await peer.notify('later').catch((late: unknown) => late)]) {
      assert.ok(failsAs(UsageError.Closed)(error), `${error}`);
      const { cause, message } = error as CallError;
      assert.ok(cause instanceof SessionError);
      if (violation === undefined) assert.equal(cause.reason, Reason.EOF);
      else assert.ok(cause.cause instanceof ProtocolError && cause.cause.facts.violation === violation, message);
      if (args.includes('--die')) assert.match(message, /signal SIGKILL/);
    }
    assert.equal(end === undefined, violation === undefined);
  });
}

// Language and MCP servers: shaky, silent, dying, and dying in their goodbye (STOP-10).
for (const args of ['lsp --split 3', 'lsp --stderr-flood 1000000', 'lsp --answer-twice 1', 'lsp --ignore-eof']) {
  meet(args, lsp, async (peer) => {
    await peer.call('initialize', hello);
    assert.equal(await peer.close(), undefined);
  });
}

for (const args of ['mcp --split 3', 'mcp --junk 1 --answer-twice 1', 'mcp --hold-stdout 10m']) {
  meet(args, mcp, async (peer) => {
    await peer.call('initialize', hello);
    await peer.notify('notifications/initialized');
    const { tools } = await peer.call<{ tools: unknown[] }>('tools/list', {});
    assert.ok(tools.length > 0);
  });
}

for (const args of ['lsp --never-answer', 'lsp --never-read', 'mcp --drop 1', 'mcp --never-answer']) {
  meet(args, args.startsWith('lsp') ? lsp : mcp, async (peer) => {
    await assert.rejects(peer.call('initialize', hello, { timeoutMs: deafMs }), failsAs(UsageError.Timeout));
  });
}

meet('lsp --wrong-length 1', lsp, async (peer) => {
  typed(await failureOf(peer.call('initialize', hello, { timeoutMs: deafMs })));
});

let greetedBytes = 0;
meet(
  'lsp',
  lsp,
  async (peer) => {
    await peer.call('initialize', hello);
    greetedBytes = peer.stats.bytesIn;
  },
  'lsp, to be counted',
);
test('lsp that dies in its goodbye', { skip: noParley, timeout: hostileMs }, async () => {
  const child = new ChildTransport(parley!, ['peer', 'lsp', '--die-at-byte', String(greetedBytes + 10)]);
  const peer = new Peer(await init(), lsp).connect(child);
  await peer.call('initialize', hello);
  typed(await peer.close());
  assert.equal(await child.exited, 'signal SIGKILL');
});

// Any mixture of faults: a call has its own answer or a typed error, and nothing is left.
const faults = [
  ['--drop 0.3', '--junk 0.1', '--answer-twice 0.5'],
  ['--out-of-order', '--delay 2ms', '--split 5', '--ignore-eof'],
  ['--flood 2000', '--stderr-flood 200000', '--hold-stdout 10m', '--never-read'],
  ['--junk 0.5', '--die-at-byte 300', '--ignore-eof', '--hold-stdout 10m'],
  ['--framing header', '--wrong-length 0.2', '--split 7', '--answer-twice 0.5'],
  ['--framing header', '--out-of-order', '--die-at-byte 150', '--stderr-flood 100000'],
];
for (const [seed, mixture] of faults.entries()) {
  const args = ['echo', '--seed', seed, ...mixture].join(' ');
  meet(args, args.includes('header') ? header : plain, async (peer) => {
    const calls = Array.from({ length: 8 }, (_, n) => ask(peer, n, { timeoutMs: deafMs }).catch(typed));
    await Promise.all(calls);
  });
}

// The conversations of the Go package jsonls, held with a server in TypeScript in a worker, behind a MessagePort.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { init, Peer, portTransport, Profile, Role, RPCError } from '../src/node.js';

/** One exchange: a call, a notification of ours, or one of theirs. */
interface Exchange {
  call?: string;
  notify?: string;
  hear?: string;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

interface Conversation {
  name: string;
  steps: Exchange[];
}

const shared = fileURLToPath(new URL('../../../../internal/jsonls/testdata/conversations.json', import.meta.url));
const open = (text: string): Exchange[] => [
  { call: 'initialize', params: { capabilities: {} }, result: { capabilities: { completionProvider: {} } } },
  { notify: 'textDocument/didOpen', params: { textDocument: { uri: 'a', version: 1, text } } },
];
const complete = (character: number, ...labels: string[]): Exchange => ({
  call: 'textDocument/completion',
  params: { textDocument: { uri: 'a' }, position: { line: 0, character } },
  result: labels.map((label) => ({ label })),
});

const conversations = [
  ...(JSON.parse(readFileSync(shared, 'utf8')) as Conversation[]),
  {
    name: 'completion knows the names of the document, and the values that a name has',
    steps: [
      ...open('[{"a": 1, "b": "x"}, {"a": 2, "b": }, {}]'),
      complete(39, '"a"', '"b"'),
      complete(26, '1', '2'),
      complete(34, '"x"'),
    ],
  },
];

for (const { name, steps } of conversations) {
  test(name, async (t) => {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(new URL('json-server/worker.js', import.meta.url), {
      workerData: { port: port2 },
      transferList: [port2 as never],
    });
    t.after(() => worker.terminate());
    const exited = once(worker, 'exit');
    const peer = new Peer(await init(), { profile: Profile.LSP, role: Role.Client }).connect(portTransport(port1));
    const heard = peer.messages();
    for (const [i, step] of steps.entries()) await play(peer, heard, step, `step ${i + 1}`);
    assert.equal(await peer.call('shutdown'), null);
    await peer.notify('exit');
    assert.deepEqual(await exited, [0]);
    const { value: unheard } = await heard.next();
    assert.equal(unheard, undefined, `unasked: ${unheard?.method}`);
    assert.equal(await peer.closed, undefined);
  });
}

async function play(peer: Peer, heard: ReturnType<Peer['messages']>, step: Exchange, where: string): Promise<void> {
  if (step.notify !== undefined) return peer.notify(step.notify, step.params);
  if (step.hear !== undefined) {
    const { value: said } = await heard.next();
    assert.equal(said?.method, step.hear, where);
    return assert.equal(unlike(step.params, said?.params?.value), '', where);
  }
  const answer = await peer.call(step.call!, step.params).catch((error: unknown) => error);
  if (step.error !== undefined) {
    assert.ok(answer instanceof RPCError, where);
    return assert.equal(unlike(step.error, { code: answer.code, message: answer.text }), '', where);
  }
  if (answer instanceof Error) throw answer;
  if (step.result !== undefined) assert.equal(unlike(step.result, answer), '', where);
}

/**
 * Where a value differs from a pattern; '' where it does not. Of an object only the members that the
 * pattern names count; null is an absent member as well, and {"contains": "x"} any string with x in it.
 */
function unlike(want: unknown, got: unknown): string {
  const differs = `: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;
  if (want === null) return got === null || got === undefined ? '' : differs;
  if (typeof want !== 'object') return want === got ? '' : differs;
  const { contains } = want as { contains?: string };
  if (contains !== undefined && typeof got === 'string') return got.includes(contains) ? '' : differs;
  const isFit =
    typeof got === 'object' && got !== null && (!Array.isArray(want) || (Array.isArray(got) && got.length === want.length));
  if (!isFit) return differs;
  for (const [name, value] of Object.entries(want)) {
    const where = unlike(value, (got as Record<string, unknown>)[name]);
    if (where !== '') return `.${name}${where}`;
  }
  return '';
}

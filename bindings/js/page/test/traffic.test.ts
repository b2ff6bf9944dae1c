// The traffic panel without its looks: the log, the filter, the figures and the text.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseFilter } from '../src/traffic/filter.js';
import { bytes, milliseconds } from '../src/traffic/format.js';
import { TrafficLog } from '../src/traffic/log.js';
import type { Message, Passing } from '../src/traffic/message.js';
import { tokens } from '../src/traffic/pretty.js';
import { Rates } from '../src/traffic/rates.js';

const request = (id: string, method = 'm', direction: Passing['direction'] = 'sent'): Passing => ({
  direction,
  kind: 'request',
  method,
  id,
  bytes: 9,
  text: `request ${id}`,
});
const result = (id: string, direction: Passing['direction'] = 'received'): Passing => ({
  direction,
  kind: 'result',
  method: '',
  id,
  bytes: 9,
  text: `result ${id}`,
});
const notification = (text: string): Passing => ({
  direction: 'received',
  kind: 'notification',
  method: 'n',
  id: undefined,
  bytes: text.length,
  text,
});

test('a request and its answer are joined, by direction and by the type of the id', () => {
  const log = new TrafficLog();
  log.add(request('1', 'ours'), 100);
  log.add(request('1', 'theirs', 'received'), 110);
  log.add(request('"1"', 'text'), 120);
  const answer = log.add(result('1'), 150);
  assert.deepEqual([answer.method, answer.partner, answer.latencyMs], ['ours', 0, 50]);
  assert.deepEqual([log.at(0)!.partner, log.at(0)!.latencyMs], [3, 50]);
  assert.equal(log.add(result('"1"'), 160).method, 'text');
  assert.equal(log.add(result('1', 'sent'), 170).method, 'theirs');
});

test('an answer counts once, and one to nothing stays alone', () => {
  const log = new TrafficLog();
  log.add(request('1'), 0);
  log.add(result('1'), 1);
  const second = log.add(result('1'), 2);
  assert.deepEqual([second.method, second.partner, second.latencyMs], ['', undefined, undefined]);
});

const batch = (texts: string[], direction: Passing['direction'] = 'sent'): Passing => {
  const text = `[ ${texts.join(' , ')} ]`;
  return { direction, kind: 'batch', method: '', id: undefined, bytes: text.length, text };
};

test('the messages in a batch are listed behind it, and joined as others are', () => {
  const log = new TrafficLog();
  const asked = log.add(
    batch([
      '{"jsonrpc":"2.0","id":1.0,"method":"a","params":{"id":[9,{"x":"],}"}]}}',
      '{"jsonrpc":"2.0","method":"ü"}',
      '{"jsonrpc":"2.0","id":"1","method":"b"}',
      '[1]',
      '7',
      '{"jsonrpc":"1.0","id":3,"method":"c"}',
      '{"jsonrpc":"2.0","id":4,"method":null}',
    ]),
    0,
  );
  assert.deepEqual([asked.method, asked.inBatch], ['batch of 7', false]);
  log.add(batch(['{"jsonrpc":"2.0","id":"1","error":{}}', '{"jsonrpc":"2.0","id":1.0,"result":null}'], 'received'), 5);
  const row = (n: number): unknown[] => {
    const { kind, method, id, inBatch, partner, latencyMs } = log.at(n)!;
    return [kind, method, id, inBatch, partner, latencyMs];
  };
  assert.deepEqual(Array.from({ length: log.end }, (_, n) => row(n)).slice(1), [
    ['request', 'a', '1.0', true, 10, 5],
    ['notification', 'ü', '', true, undefined, undefined],
    ['request', 'b', '"1"', true, 9, 5],
    ['invalid', '', '', true, undefined, undefined],
    ['invalid', '', '', true, undefined, undefined],
    ['invalid', '', '3', true, undefined, undefined],
    ['invalid', '', '4', true, undefined, undefined],
    ['batch', 'batch of 2', '', false, undefined, undefined],
    ['error', 'b', '"1"', true, 3, 5],
    ['result', 'a', '1.0', true, 1, 5],
  ]);
  assert.deepEqual([log.at(2)!.text, log.at(2)!.sizeBytes], ['{"jsonrpc":"2.0","method":"ü"}', 31]);
});

test('a batch that is a flood, empty, or none at all is listed within bounds', () => {
  const log = new TrafficLog();
  log.add(batch(Array.from({ length: 5000 }, () => '1')), 0);
  assert.deepEqual([log.at(0)!.method, log.end], ['batch of 5,000, the first 1,024 listed', 1025]);
  for (const text of ['[]', '{"a":[1]}', '7', '', 'no json [1', '[,,]']) log.add({ ...batch([]), text }, 0);
  assert.equal(log.end, 1025 + 6);
  log.add({ ...batch([]), text: '[1 2,{"a":}]' }, 0); // of a file that lies
  assert.deepEqual([log.at(log.end - 1)!.kind, log.at(log.end - 2)!.kind], ['invalid', 'invalid']);
});

test('a session that has ended leaves no request for the ids of the next one', () => {
  const log = new TrafficLog();
  log.add(request('1', 'old'), 0);
  log.endSession();
  assert.equal(log.add(result('1'), 1).partner, undefined);
});

test('the log keeps the newest messages, and forgets a request with its row', () => {
  const log = new TrafficLog({ messagesMax: 3, textMax: 1000 });
  log.add(request('1', 'gone'), 0);
  for (const text of ['a', 'b', 'c']) log.add(notification(text), 1);
  assert.deepEqual([log.first, log.end, log.at(0)], [1, 4, undefined]);
  assert.deepEqual(
    [1, 2, 3].map((ordinal) => log.at(ordinal)!.text),
    ['a', 'b', 'c'],
  );
  assert.equal(log.add(result('1'), 2).partner, undefined);
});

test('the log keeps 100,000 messages unless told otherwise', () => {
  const log = new TrafficLog();
  for (let i = 0; i < 100_007; i++) log.add(notification(`${i}`), i);
  assert.deepEqual([log.first, log.end, log.at(7)!.text, log.at(100_006)!.text], [7, 100_007, '7', '100006']);
});

test('the log keeps texts up to its bound, and lets the oldest go', () => {
  const log = new TrafficLog({ messagesMax: 10, textMax: 6 });
  for (const text of ['aaa', 'bbb']) log.add(notification(text), 0);
  assert.equal(log.at(0)!.text, 'aaa');
  log.add(notification('c'), 0);
  assert.deepEqual(
    [0, 1, 2].map((ordinal) => log.at(ordinal)!.text),
    [undefined, 'bbb', 'c'],
  );
  log.add(notification('longer than all'), 0);
  assert.deepEqual(
    [1, 2, 3].map((ordinal) => log.at(ordinal)!.text),
    [undefined, undefined, undefined],
  );
  assert.equal(log.at(3)!.sizeBytes, 15);
});

test('what is cleared is gone, and ordinals go on', () => {
  const log = new TrafficLog({ messagesMax: 3, textMax: 10 });
  for (const text of ['a', 'b']) log.add(notification(text), 0);
  log.clear();
  assert.deepEqual([log.first, log.end, log.at(1)], [2, 2, undefined]);
  for (const text of ['c', 'd', 'e', 'f']) log.add(notification(text), 0);
  assert.deepEqual(
    [3, 4, 5].map((ordinal) => log.at(ordinal)!.text),
    ['d', 'e', 'f'],
  );
});

test('the filter holds every word', () => {
  const log = new TrafficLog();
  log.add(request('1', 'textDocument/hover'), 0);
  log.add({ ...result('1'), text: '{"contents":"Doc"}' }, 80);
  log.add({ ...request('"a"', 'workspace/configuration', 'received') }, 90);
  log.add({ ...result('7'), kind: 'error' }, 95);
  const passing = (line: string): number[] => {
    const filter = parseFilter(line);
    return [0, 1, 2, 3].filter((ordinal) => filter(log.at(ordinal) as Message));
  };
  const rows: [line: string, ordinals: number[]][] = [
    ['', [0, 1, 2, 3]],
    ['  ', [0, 1, 2, 3]],
    ['HOVER', [0, 1]],
    ['kind:request', [0, 2]],
    ['dir:received', [1, 2, 3]],
    ['dir:sent kind:req', [0]],
    ['id:1', [0, 1]],
    ['id:a', [2]],
    ['>50ms', [0, 1]],
    ['>80', []],
    ['error', [3]],
    ['body:doc', [1]],
    ['-hover', [2, 3]],
    ['hover -kind:result', [0]],
    ['-', []],
  ];
  for (const [line, ordinals] of rows) assert.deepEqual(passing(line), ordinals, line);
});

test('numbers and strings are shown as they were sent', () => {
  const text = '{"a": 12345678901234567890, "b":[1.0e5,"\\u0041 \\"x",{}], "c":null}';
  assert.equal(tokens(text).join(''), '{"a":12345678901234567890,"b":[1.0e5,"\\u0041 \\"x",{}],"c":null}');
  assert.deepEqual(tokens('no json "cut'), ['no', 'json', '"', 'cut']);
  assert.deepEqual(tokens(''), []);
});

test('figures read as figures', () => {
  assert.deepEqual([0, 999, 1000, 1_234_567].map(bytes), ['0 B', '999 B', '1.0 kB', '1.2 MB']);
  assert.deepEqual([0.04, 9.94, 12.4, 999, 1500].map(milliseconds), ['0.0 ms', '9.9 ms', '12 ms', '999 ms', '1.5 s']);
});

test('rates are by the second, of the last minute', () => {
  const log = new TrafficLog();
  const rates = new Rates();
  const add = (passing: Passing, atMs: number): void => rates.add(log.add(passing, atMs));
  add(request('1'), 1000);
  add(result('1'), 1030);
  add(notification('x'), 2500);
  const [seconds, sent, received] = rates.throughput(3000);
  assert.deepEqual([seconds.at(-2), sent!.at(-2), received!.at(-2)], [1, 1, 1]);
  assert.deepEqual([seconds.at(-1), sent!.at(-1), received!.at(-1)], [2, 0, 1]);
  assert.deepEqual(rates.latency(3000), [[1.03], [30], [null]]);

  const [later, ...columns] = rates.throughput(200_000);
  assert.deepEqual([later.length, columns.flat().reduce<number>((sum, value) => sum + value!, 0)], [60, 0]);
  assert.deepEqual(rates.latency(200_000), [[], [], []]);
});

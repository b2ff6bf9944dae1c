// The decoder of captures, on files that the Go writer made and on files that nobody should make.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import type { Engine } from '../../src/engine.js';
import { load } from '../../src/load.js';
import { MsgpackReader } from '../src/capture/msgpack.js';
import { memberText } from '../src/capture/raw.js';
import { readCapture, type CaptureSummary } from '../src/capture/read.js';
import { CaptureError, records } from '../src/capture/records.js';
import type { Passing } from '../src/traffic/message.js';
import { repository } from './places.js';

const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(repository, 'internal', 'capture', 'testdata', name)));
const preamble = Buffer.from('\x89parley\x01', 'latin1');
const str = (text: string): Buffer => Buffer.concat([Buffer.from([0xa0 + text.length]), Buffer.from(text)]);
const bin = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0xc5, text.length >> 8, text.length & 0xff]), Buffer.from(text)]);

/** A record's bytes, its length before them. */
function framed(spelled: Uint8Array): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(spelled.length);
  return Buffer.concat([size, spelled]);
}

const read = (side: 'client' | 'server', text: string): Buffer =>
  framed(Buffer.concat([Buffer.from([0x82]), str('op'), Buffer.from([side === 'client' ? 66 : 67]), str('text'), bin(text)]));

const begin = (...settings: [string, string][]): Buffer =>
  framed(
    Buffer.concat([
      Buffer.from([0x82]),
      str('op'),
      Buffer.from([65]),
      str('settings'),
      Buffer.from([0x90 + settings.length]),
      ...settings.map(([name, value]) => Buffer.concat([Buffer.from([0x92]), bin(name), bin(value)])),
    ]),
  );

const file = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat([preamble, ...parts]));
const header = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe('a capture', () => {
  let engine: Engine;
  before(async () => {
    engine = await load(readFileSync(process.env.PARLEY_WASM ?? join(repository, 'wasm', 'parley.wasm')));
  });

  interface Told extends CaptureSummary {
    messages: (Passing & { atMs: number })[];
  }

  async function told(bytes: Uint8Array): Promise<Told> {
    const messages: Told['messages'] = [];
    const summary = await readCapture(bytes, engine, {
      message: (passing, atMs) => messages.push({ ...passing, atMs }),
      session: () => undefined,
    });
    return { ...summary, messages };
  }

  const texts = async (bytes: Uint8Array): Promise<string[]> => (await told(bytes)).messages.map(({ text }) => text);

  test('holds what the Go writer put into it, in both spellings', async () => {
    const binary = await told(fixture('session.cap'));
    assert.deepEqual(
      binary.messages.map(({ direction, kind, id, bytes, atMs }) => [direction, kind, id, bytes, atMs]),
      [
        ['sent', 'request', '1', 82, 0.003],
        ['received', 'result', '1', 45, 5.003],
        ['received', 'error', '9', 59, 5.003],
      ],
    );
    assert.match(binary.messages[0]!.text, /"n":12345678901234567890/);
    assert.deepEqual(
      { ...binary, messages: [] },
      {
        started: '1970-01-01T00:00:01.000000005Z',
        command: 'srv x y',
        endMs: 8,
        flaws: ['9 bytes passed and were not recorded', '7 bytes are in no message'],
        messages: [],
      },
    );
    const lines = await told(fixture('session.jsonl'));
    // In lines an answer has the method of its request.
    const withoutMethods = ({ messages, ...rest }: Told): unknown => ({
      ...rest,
      messages: messages.map((m) => ({ ...m, method: '' })),
    });
    assert.deepEqual(withoutMethods(lines), withoutMethods(binary));
  });

  test('that is cut anywhere is read up to there, and says so', async () => {
    const whole = fixture('session.cap');
    const ends = new Set([preamble.length]);
    for (let at = preamble.length; at < whole.length; ends.add(at)) at += 4 + new DataView(whole.buffer).getUint32(at);
    for (let size = preamble.length; size < whole.length; size++) {
      const { flaws } = await told(whole.slice(0, size));
      assert.equal(
        flaws.some((flaw) => /the last record is torn: \d+ of \d+ bytes/.test(flaw)),
        !ends.has(size),
        `${size} bytes`,
      );
    }
    const lines = fixture('session.jsonl');
    const { messages, flaws } = await told(lines.slice(0, -20));
    assert.deepEqual([messages.length, /line 11: the last line is torn/.test(flaws[0]!)], [3, true]);
  });

  test('in JSON lines tells a batch once, although its members have lines too', async () => {
    const lines = [
      { from: 'capture', ms: 0, framing: 'line' },
      { from: 'client', ms: 1, kind: 'batch', bytes: 42, message: [JSON.parse(ping)] },
      { from: 'client', ms: 1, kind: 'request', method: 'ping', bytes: 40, inBatch: true, id: 1, message: JSON.parse(ping) },
    ];
    const { messages } = await told(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
    assert.deepEqual(
      messages.map(({ kind, text }) => [kind, text]),
      [['batch', `[${ping}]`]],
    );
  });

  test('is refused where it is none', async () => {
    for (const text of ['', '\x89parley\x02', '\x89parle', 'capture framing=header\n', '[1]', 'Dear Sir']) {
      await assert.rejects(told(new Uint8Array(Buffer.from(text, 'latin1'))), CaptureError, text);
    }
  });

  test('with records that lie is read up to them', async () => {
    const good = read('client', header(ping));
    const map = (...parts: Buffer[]): Buffer => framed(Buffer.concat(parts));
    const rows: [what: string, lie: Buffer, flaw: RegExp][] = [
      ['no length', Buffer.alloc(4), /a length of 0 bytes/],
      ['4 GiB', Buffer.from([0xff, 0xff, 0xff, 0xff]), /a length of 4294967295 bytes, want 1 to 67112960/],
      ['64 MiB and 4 KiB, and one', Buffer.from([0x04, 0x00, 0x10, 0x01]), /a length of 67112961 bytes/],
      ['64 MiB and 4 KiB that are not there', Buffer.from([0x04, 0x00, 0x10, 0x00, 0x81]), /torn: 5 of 67112964 bytes/],
      ['no map', map(Buffer.from([0xc0])), /no map/],
      ['a map of 4 G members', map(Buffer.from([0xdf, 0xff, 0xff, 0xff, 0xff])), /bytes where 0 are left/],
      [
        'a text of 4 GiB',
        map(Buffer.from([0x81]), str('text'), Buffer.from([0xc6, 0xff, 0xff, 0xff, 0xff])),
        /4294967295 bytes where 0/,
      ],
      [
        '4 G values to skip',
        map(Buffer.from([0x81]), str('x'), Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff, 0xc0])),
        /where 0 are left/,
      ],
      ['an unknown op', map(Buffer.from([0x81]), str('op'), Buffer.from([76])), /op 76 is in no capture/],
      ['op twice', map(Buffer.from([0x82]), str('op'), Buffer.from([66]), str('op'), Buffer.from([66])), /op comes twice/],
      [
        'a time below 0',
        map(Buffer.from([0x82]), str('op'), Buffer.from([66]), str('time'), Buffer.from([0xff])),
        /-1: want a number/,
      ],
      ['bytes behind the map', map(Buffer.from([0x81]), str('op'), Buffer.from([66]), Buffer.from([0xc0])), /bytes follow/],
      [
        'settings that are none',
        map(Buffer.from([0x82]), str('op'), Buffer.from([65]), str('settings'), Buffer.from([0x91, 0x91, 0x01])),
        /no pair/,
      ],
    ];
    for (const [what, lie, flaw] of rows) {
      const { messages, flaws } = await told(file(good, lie));
      assert.equal(messages.length, 1, what);
      assert.match(flaws[0] ?? '', flaw, what);
      assert.match(flaws[0]!, new RegExp(`^byte ${preamble.length + good.length}: `), what);
    }
  });

  test('may have members of later versions', () => {
    const deep = Buffer.concat([Buffer.alloc(100_000, 0x91), Buffer.from([0xc0])]);
    const strange = [Buffer.from([0xc0]), Buffer.from([0xcb, 1, 2, 3, 4, 5, 6, 7, 8]), Buffer.from([0xd4, 1, 2]), str('s'), deep];
    for (const [i, value] of strange.entries()) {
      const spelled = Buffer.concat([Buffer.from([0x82]), str('later'), value, str('op'), Buffer.from([66])]);
      assert.equal([...records(file(framed(spelled)))][0]?.op, 66, `${i}`);
    }
    for (const cut of [0xc1, 0xc4, 0xd9, 0xcf, 0xdd])
      assert.throws(() => new MsgpackReader(Uint8Array.of(cut)).value(), RangeError);
  });

  test('is cut into messages wherever reads cut, in every framing', async () => {
    const streams: [framing: string, stream: string, messages: string[]][] = [
      ['header', header(ping) + header('{}'), [ping, '{}']],
      ['header', `${header(ping)}INFO started\n${header('{}')}`, [ping, '{}']],
      ['line', `${ping}\n[1]\n{}`, [ping, '[1]', '{}']],
      ['length4', `\0\0\0\x02{}`, ['{}']],
      ['guess', `Starting\n${header(ping)}`, [ping]],
      ['guess', `a line of more than fifteen {x}\n${ping}\n`, [ping]],
      ['guess', `[info] x\n${ping}\n{}\n`, [ping, '{}']],
    ];
    for (const [framing, stream, messages] of streams) {
      for (let at = 0; at <= stream.length; at++) {
        const cut = file(begin(['framing', framing]), read('server', stream.slice(0, at)), read('server', stream.slice(at)));
        assert.deepEqual(await texts(cut), messages, `${framing}, cut at ${at}`);
      }
    }
  });

  test('goes on behind what broke, and after a gap', async () => {
    const broken = await told(
      file(begin(['framing', 'header']), read('client', `Content-Length: 9999999999\r\n\r\n`), read('client', header('{}'))),
    );
    assert.deepEqual(
      broken.messages.map(({ kind, text }) => (kind === 'invalid' && text !== '{}' ? 'broken' : text)),
      ['broken', '{}'],
    );
    const gap = framed(Buffer.concat([Buffer.from([0x82]), str('op'), Buffer.from([71]), str('count'), Buffer.from([7])]));
    const rest = await told(file(begin(['framing', 'line']), read('client', '{"a":'), gap, read('client', `1}\n${ping}\n`)));
    assert.deepEqual(
      rest.messages.map(({ text }) => text),
      [ping],
    );
    const part = file(begin(['framing', 'header'], ['part', '2'], ['session', 's']), read('client', `"rest"}${header(ping)}`));
    assert.deepEqual(await texts(part), [ping]);
    const next = file(
      begin(['framing', 'header'], ['session', 's']),
      read('client', header(ping).slice(0, 30)),
      begin(['framing', 'header'], ['part', '2'], ['session', 's']),
      read('client', header(ping).slice(30)),
    );
    assert.deepEqual(await texts(next), [ping]);
  });

  test('in lines is refused line by line', async () => {
    const good = `{"from":"client","ms":1,"kind":"request","method":"a","id":1,"bytes":2,"message":{"a":[1.0e5, {"b":"}"}]}}\n`;
    for (const bad of [
      '{',
      '{"ms":1}',
      '{"from":"client","ms":-1}',
      '{"from":"client","ms":1e99}',
      '{"from":"client","ms":1,"bytes":-1}',
      'null',
      '"x"',
    ]) {
      const { messages, flaws } = await told(new Uint8Array(Buffer.from(`${good}${bad}\n${good}`)));
      assert.deepEqual(
        messages.map(({ text }) => text),
        ['{"a":[1.0e5, {"b":"}"}]}'],
        bad,
      );
      assert.match(flaws[0] ?? '', /^line 2: no line of a capture/, bad);
    }
  });
});

test('members are cut out as they are spelled', () => {
  const text = '{"a":{"id":2},"id" : 1.00 ,"\\u0069d2":"x\\"}","list":[{"id":3}],"last":null}';
  assert.deepEqual(
    ['id', 'a', 'id2', 'list', 'last', 'none'].map((name) => memberText(text, name)),
    ['1.00', '{"id":2}', '"x\\"}"', '[{"id":3}]', 'null', undefined],
  );
});

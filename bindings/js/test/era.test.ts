// Negotiations play the rows that every home plays.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  ConfigError,
  Era,
  EraFailureKind,
  EraMode,
  EraStepKind,
  EventKind,
  init,
  RefusedError,
  UsageError,
  type EraConfig,
  type EraNegotiation,
  type EraStep,
} from '../src/node.js';
import { tableRows } from './conformance/files.js';

const info = '{"name":"t","version":"1"}';
const second = 1e9;
const nameOf = (numbers: Record<string, number>, value: number): string =>
  Object.keys(numbers)
    .find((name) => numbers[name] === value)!
    .toLowerCase();

function configOf(fields: string): EraConfig {
  const config: EraConfig = { info };
  for (const field of fields.split(' ').filter((text) => text !== '')) {
    const [name, value = ''] = field.split('=');
    if (name === 'mode') config.mode = { auto: EraMode.Auto, legacy: EraMode.Legacy }[value]!;
    else if (name === 'pinned') Object.assign(config, { mode: EraMode.Pinned, version: value });
    else if (name === 'known') config.known = { legacy: Era.Legacy, modern: Era.Modern }[value]!;
    else if (name === 'spawned') config.spawned = true;
    else if (name === 'connect') config.connectNs = Number(value) * second;
    else assert.fail(`no such field: ${field}`);
  }
  return config;
}

const outcomes: Record<string, EventKind> = {
  result: EventKind.Result,
  error: EventKind.Error,
  invalid: EventKind.InvalidAnswer,
  timeout: EventKind.Timeout,
  cancelled: EventKind.Canceled,
  lost: EventKind.Lost,
};

function happen(negotiation: EraNegotiation, event: string): void {
  const [first = '', word = '', ...others] = event.split(' ');
  if (first === 'at') return negotiation.advance(Math.round(Number(word) * second));
  const kind = outcomes[word];
  assert.ok(kind !== undefined, `no such event: ${event}`);
  if (kind !== EventKind.Error) return negotiation.settle(Number(first), { kind, body: others.join(' ') });
  const [code, ...data] = others;
  negotiation.settle(Number(first), { kind, code: Number(code), text: 'no', body: data.join(' ') });
}

function word(step: EraStep): string {
  switch (step.kind) {
    case EraStepKind.Call:
      return step.id === undefined ? step.method : `${step.method}#${JSON.parse(step.id)}`;
    case EraStepKind.Notify:
      return step.method;
    case EraStepKind.Probed:
      return `probed:${nameOf(Era, step.era)}`;
    case EraStepKind.Modern:
      return `modern:${step.version}`;
    case EraStepKind.Legacy:
      return `legacy:${step.version}`;
    case EraStepKind.Failed:
      return `failed:${nameOf(EraFailureKind, step.error!.kind).replace('canceled', 'cancelled')}`;
    default:
      return nameOf(EraStepKind, step.kind);
  }
}

function stepsOf(negotiation: EraNegotiation): string {
  const words = [];
  for (let step; (step = negotiation.next()) !== undefined; ) words.push(word(step));
  return words.length === 0 ? 'none' : words.join(' ');
}

for (const { title, lines } of tableRows('era.table')) {
  test(title, async () => {
    const engine = await init();
    let negotiation: EraNegotiation | undefined;
    for (const line of lines) {
      const [command = '', want] = line.split(' -> ');
      if (command.startsWith('open')) {
        negotiation = engine.era(configOf(command.slice('open'.length)));
        negotiation.advance(0);
      } else {
        happen(negotiation!, command);
      }
      assert.equal(stepsOf(negotiation!), want, line);
    }
    negotiation!.free();
  });
}

test('a step carries what is to be sent, and a decision what was answered', async () => {
  const negotiation = (await init()).era({ info, capabilities: '{"roots":{}}' });
  negotiation.advance(7 * second);
  const ask = negotiation.next()!;
  assert.equal(ask.deadline, 37 * second);
  assert.equal(negotiation.deadline, 12 * second);
  assert.deepEqual(JSON.parse(ask.params!)._meta['io.modelcontextprotocol/clientCapabilities'], { roots: {} });
  const body = '{"supportedVersions":["2026-07-28"],"é":1}';
  negotiation.settle(ask.call, { kind: EventKind.Result, body });
  assert.equal(negotiation.next()!.kind, EraStepKind.Probed);
  assert.equal(negotiation.next()!.result, body);
  assert.equal(negotiation.deadline, Infinity);
  assert.deepEqual(Object.keys(JSON.parse(negotiation.params('{"a":1}', '2026-07-28'))), ['_meta', 'a']);
  assert.throws(() => negotiation.params('[1]', '2026-07-28'), RefusedError);
  negotiation.free();
  negotiation.free();
  assert.throws(
    () => negotiation.next(),
    (error) => error instanceof RefusedError && error.code === UsageError.Closed,
  );
});

test('a failure says what both sides speak, escaped', async () => {
  const negotiation = (await init()).era({ info });
  negotiation.advance(0);
  negotiation.settle(negotiation.next()!.call, {
    kind: EventKind.Result,
    body: '{"supportedVersions":["2031-01-01","\\u001b"]}',
  });
  negotiation.next();
  assert.match(
    negotiation.next()!.error!.message,
    /^parley: era: .* the server speaks "2031-01-01", "\\x1b", this client "2026-07-28"/,
  );
  negotiation.free();
});

test('a configuration that is refused names its field', async () => {
  const engine = await init();
  assert.throws(
    () => engine.era({ info: '[]' }),
    (error) => error instanceof ConfigError && error.field === 'Client.Info',
  );
  assert.throws(
    () => engine.era({ info, mode: EraMode.Pinned, version: '2020-01-01' }),
    (error) => error instanceof ConfigError && error.field === 'Version',
  );
});

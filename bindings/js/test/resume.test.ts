// Resumable links play the rows that every home plays.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  ConfigError,
  init,
  RefusedError,
  ResumeError,
  ResumeFailureKind,
  UsageError,
  type Engine,
  type Resume,
  type ResumeConfig,
} from '../src/node.js';
import { tableRows } from './conformance/files.js';

const kinds = new Map<ResumeFailureKind, string>([
  [ResumeFailureKind.Lost, 'lost'],
  [ResumeFailureKind.Claim, 'claim'],
  [ResumeFailureKind.Greeting, 'greeting'],
  [ResumeFailureKind.Expired, 'expired'],
  [ResumeFailureKind.Count, 'count'],
  [ResumeFailureKind.Superseded, 'superseded'],
]);
const refusals = new Map<number, string>([
  [UsageError.TooLarge, 'too-large'],
  [UsageError.Unsupported, 'unsupported'],
]);
const second = 1e9;

/** Plays one row. */
class Player {
  link: Resume | undefined;
  #now = 0;

  constructor(private readonly engine: Engine) {}

  line(line: string): void {
    const arrow = line.indexOf(' -> ');
    const [command, want] = arrow < 0 ? [line, 'ok'] : [line.slice(0, arrow), line.slice(arrow + 4)];
    const space = `${command} `.indexOf(' ');
    assert.equal(this.#say(command.slice(0, space), command.slice(space + 1)), want, line);
  }

  #say(verb: string, rest: string): string {
    try {
      return this.#do(verb, rest) ?? 'ok';
    } catch (error) {
      if (error instanceof ResumeError) return kinds.get(error.kind)!;
      if (error instanceof ConfigError) return `refused ${error.field}`;
      if (error instanceof RefusedError) return refusals.get(error.code) ?? error.message;
      throw error;
    }
  }

  #do(verb: string, rest: string): string | void {
    if (verb === 'link') return this.#open(rest);
    if (verb === 'at') this.#now = Number(rest) * second;
    else return this.#use(this.link!, verb, rest);
  }

  #use(link: Resume, verb: string, rest: string): string | void {
    const space = `${rest} `.indexOf(' ');
    const generation = Number(rest.slice(0, space));
    const second = rest.slice(space + 1);
    switch (verb) {
      case 'attach':
        return `${link.attach(this.#now)}`;
      case 'resume':
        return link.resume(generation, Number(second), this.#now);
      case 'greet':
        return link.greet(generation, second, this.#now);
      case 'send':
        return link.send(expand(rest), this.#now) ? 'ok' : 'full';
      case 'next':
        return brief(link.next(generation));
      case 'receive':
        return link.receive(generation) ? 'new' : 'ignored';
      case 'detach':
        return link.detach(generation, this.#now);
      case 'advance':
        return link.advance(this.#now);
      default:
        return ask(link, verb);
    }
  }

  #open(fields: string): void {
    const config: ResumeConfig = {};
    for (const field of fields.split(' ').filter((text) => text !== '' && text !== 'link')) {
      const [name, value = ''] = field.split('=');
      if (name === 'session') config.session = value;
      else if (name === 'bytes') config.bytesMax = Number(value);
      else if (name === 'text') config.textBytesMax = Number(value);
      else if (name === 'age') config.ageNs = Number(value) * second;
      else assert.fail(`no such field: ${field}`);
    }
    this.link?.free();
    this.link = this.engine.resume(config);
  }
}

/** What changes nothing. */
function ask(link: Resume, what: string): string {
  const { session, sent, received, error } = link.state();
  switch (what) {
    case 'deadline':
      return link.deadline === Infinity ? 'never' : `${link.deadline / second}`;
    case 'greeting':
      return link.greeting();
    case 'session':
      return session === '' ? 'none' : session;
    case 'counts':
      return `sent ${sent} received ${received}`;
    case 'error':
      return error === undefined ? 'none' : `${kinds.get(error.kind)} ${error.close.code} ${error.close.reason}`;
    case 'text':
      return error!.message.replace('parley: ', '');
    default:
      assert.fail(`no such command: ${what}`);
  }
}

/** x*3 is xxx. */
function expand(text: string): string {
  const [, letter = '', count] = /^(.)\*(\d+)$/.exec(text) ?? [];
  return count === undefined ? text : letter.repeat(Number(count));
}

function brief(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return 'none';
  const text = new TextDecoder().decode(bytes);
  return text.length > 2 && text === text[0]!.repeat(text.length) ? `${text[0]}*${text.length}` : text;
}

for (const { title, lines } of tableRows('resume.table')) {
  test(title, async () => {
    const player = new Player(await init());
    for (const line of lines) player.line(line);
    player.link?.free();
  });
}

test('a link that is freed is closed', async () => {
  const link = (await init()).resume();
  link.free();
  link.free();
  assert.throws(
    () => link.attach(0),
    (error) => error instanceof RefusedError && error.code === UsageError.Closed,
  );
});

test('text of any size and script comes out as it went in', async () => {
  const link = (await init()).resume({ session: 's' });
  const generation = link.attach(0);
  link.resume(generation, 0, 0);
  for (const text of ['', 'é😀', '€'.repeat(100_000), 'x'.repeat(16 << 20)]) {
    assert.ok(link.send(text, 0));
    assert.equal(new TextDecoder().decode(link.next(generation)), text);
  }
  link.free();
});

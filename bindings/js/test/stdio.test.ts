// The descriptors of a command: what fd_read and fd_write of the shim do, and how a process of Node serves them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { blocking } from '../src/command.js';
import { LinearMemory } from '../src/memory.js';
import { type Stdio, Wasi } from '../src/wasi.js';

const success = 0;
const badDescriptor = 8;
const connectionReset = 15;
const brokenPipe = 64;

/** Where the module of these tests keeps the list, the count that is returned, and the pieces. */
const list = 64;
const moved = 32;
const pieces = 1024;
const untouched = 0xeeeeeeee;

/** A module's memory with a list of pieces of those sizes, and what it can import. */
class Module {
  readonly #memory = new LinearMemory();
  readonly #imports: Record<string, (...args: number[]) => number>;

  constructor(
    stdio: Partial<Stdio>,
    private readonly sizes: number[],
  ) {
    this.#memory.wasm = new WebAssembly.Memory({ initial: 1 });
    this.#memory.view.setUint32(moved, untouched, true);
    sizes.reduce((address, size, i) => {
      this.#memory.view.setUint32(list + 8 * i, address, true);
      this.#memory.view.setUint32(list + 8 * i + 4, size, true);
      return address + size;
    }, pieces);
    const refuse = (): never => assert.fail('nobody was to ask');
    const imports = new Wasi(this.#memory, { read: refuse, write: refuse, ...stdio }).imports;
    this.#imports = imports.wasi_snapshot_preview1 as Record<string, (...args: number[]) => number>;
  }

  /** What the pieces hold, one behind the other. */
  get text(): string {
    return Buffer.from(
      this.#memory.slice(
        pieces,
        this.sizes.reduce((sum, size) => sum + size, 0),
      ),
    ).toString('latin1');
  }

  set text(text: string) {
    this.#memory.bytes.set(Buffer.from(text, 'latin1'), pieces);
  }

  call(name: 'fd_read' | 'fd_write', fd: number): [errno: number, moved: number] {
    const errno = this.#imports[name]!(fd, list, this.sizes.length, moved);
    return [errno, this.#memory.view.getUint32(moved, true)];
  }
}

/** Reads that give these texts, one each; a number is thrown. They keep the sizes they were asked for. */
function reads(...answers: (string | number)[]): Stdio & { asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    read(into) {
      asked.push(into.length);
      const answer = answers.shift();
      if (typeof answer !== 'string') throw answer;
      into.set(Buffer.from(answer));
      return answer.length;
    },
    write: () => assert.fail('a read writes'),
  };
}

/** Writes that take that many bytes each; a negative number is an errno that is thrown. */
function writes(...answers: number[]): Stdio & { taken: string[] } {
  const taken: string[] = [];
  return {
    taken,
    read: () => assert.fail('a write reads'),
    write(fd, bytes) {
      const answer = answers.shift();
      if (answer === undefined || answer < 0) throw answer === undefined ? new Error('too many writes') : -answer;
      taken.push(`${fd} ${Buffer.from(bytes.subarray(0, answer))}`);
      return answer;
    },
  };
}

describe('fd_read', () => {
  for (const [what, sizes, answers, text, total, asked] of [
    ['fills one piece', [4], ['abcd'], 'abcd', 4, [4]],
    ['fills several, in order', [2, 3], ['ab', 'cde'], 'abcde', 5, [2, 3]],
    ['ends at the piece that is filled in part', [2, 3, 4], ['ab', 'c'], 'abc\0\0\0\0\0\0', 3, [2, 3]],
    ['gives less than one piece', [8], ['abc'], 'abc\0\0\0\0\0', 3, [8]],
    ['ends where the input does', [4], [''], '\0\0\0\0', 0, [4]],
    ['says what it has before the end', [1, 4], ['a', ''], 'a\0\0\0\0', 1, [1, 4]],
    ['leaves out what is empty, and asks nobody for it', [0, 2, 0], ['ab'], 'ab', 2, [2]],
    ['has nothing to do without pieces', [], [], '', 0, []],
    ['says what it has before a failure', [1, 4], ['a', badDescriptor], 'a\0\0\0\0', 1, [1, 4]],
  ] as const) {
    test(what, () => {
      const stdio = reads(...answers);
      const module = new Module(stdio, [...sizes]);
      assert.deepEqual(module.call('fd_read', 0), [success, total]);
      assert.equal(module.text, text);
      assert.deepEqual(stdio.asked, asked);
    });
  }

  test('fails as its descriptor does, and touches nothing', () => {
    assert.deepEqual(new Module(reads(29), [4]).call('fd_read', 0), [29, untouched]);
  });

  test('has descriptor 0 alone', () => {
    for (const fd of [1, 2, 3, -1]) assert.deepEqual(new Module({}, [4]).call('fd_read', fd), [badDescriptor, untouched]);
  });

  test('lets through what is no errno', () => {
    const error = new Error('ours');
    const read = (): never => {
      throw error;
    };
    assert.throws(() => new Module({ read }, [4]).call('fd_read', 0), error);
  });
});

describe('fd_write', () => {
  for (const [what, sizes, answers, total, taken] of [
    ['writes one piece', [5], [5], 5, ['1 abcde']],
    ['writes several, in order', [2, 3], [2, 3], 5, ['1 ab', '1 cde']],
    ['ends at the piece that is taken in part', [2, 2, 1], [2, 1], 3, ['1 ab', '1 c']],
    ['leaves out what is empty', [0, 5, 0], [5], 5, ['1 abcde']],
    ['says what was taken before a failure', [2, 3], [2, -brokenPipe], 2, ['1 ab']],
  ] as const) {
    test(what, () => {
      const stdio = writes(...answers);
      const module = new Module(stdio, [...sizes]);
      module.text = 'abcde';
      assert.deepEqual(module.call('fd_write', 1), [success, total]);
      assert.deepEqual(stdio.taken, taken);
    });
  }

  test('has descriptors 1 and 2 alone', () => {
    const stdio = writes(1);
    assert.deepEqual(new Module(stdio, [1]).call('fd_write', 2), [success, 1]);
    assert.deepEqual(stdio.taken, ['2 \0']);
    for (const fd of [0, 3, -1]) assert.deepEqual(new Module({}, [1]).call('fd_write', fd), [badDescriptor, untouched]);
  });

  test('says that the pipe is closed', () => {
    assert.deepEqual(new Module(writes(-brokenPipe), [1]).call('fd_write', 1), [brokenPipe, untouched]);
  });
});

describe('a descriptor of Node', () => {
  /** Fails with those codes, one each, and then moves 7 bytes. */
  const failing = (...codes: string[]) =>
    blocking(() => {
      const code = codes.shift();
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return 7;
    });

  test('is waited for while it answers EAGAIN', () => assert.equal(failing('EAGAIN', 'EAGAIN', 'EAGAIN'), 7));

  test('is at its end where the pipe is closed', () => assert.equal(failing('EOF'), 0));

  for (const [code, errno] of [
    ['EPIPE', brokenPipe],
    ['EBADF', badDescriptor],
    ['ECONNRESET', connectionReset],
    ['EINTR', 27],
    ['ENOSPC', 51],
    ['EISDIR', 29],
  ] as const) {
    test(`fails with the errno of WASI for ${code}`, () =>
      assert.throws(
        () => failing('EAGAIN', code),
        (thrown) => thrown === errno,
      ));
  }
});

test('a command in Node is told that nobody reads its stdout any longer', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-stdio-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'writer.wasm');
  writeFileSync(file, writer());
  const main = fileURLToPath(new URL('../src/command-main.js', import.meta.url));
  const child = spawn(process.execPath, [main, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'readable');
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  assert.ok([brokenPipe, connectionReset].includes(code), `errno ${code}`); // reset: a pipe of Node is a socket
});

/** A command that writes to descriptor 1 until that fails, and exits with the errno. */
function writer(): Uint8Array {
  const section = (id: number, ...body: number[]): number[] => [id, body.length, ...body];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  const wasi = name('wasi_snapshot_preview1');
  const [list, moved] = [0, 16];
  const write = [0x41, 1, 0x41, list, 0x41, 1, 0x41, moved, 0x10, 0]; // (call $fd_write 1 list 1 moved)
  const again = [0x03, 0x40, ...write, 0x22, 0, 0x45, 0x0d, 0, 0x0b]; // (loop (br_if 0 (i32.eqz (local.tee 0 ...))))
  const code = [1, 1, 0x7f, ...again, 0x20, 0, 0x10, 1, 0x0b]; // (local i32) ... (call $proc_exit (local.get 0))
  return Uint8Array.from([
    ...Buffer.from('\0asm\x01\0\0\0', 'latin1'),
    ...section(1, 3, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x60, 1, 0x7f, 0, 0x60, 0, 0),
    ...section(2, 2, ...wasi, ...name('fd_write'), 0, 0, ...wasi, ...name('proc_exit'), 0, 1),
    ...section(3, 1, 2),
    ...section(5, 1, 0, 1),
    ...section(7, 2, ...name('_start'), 0, 2, ...name('memory'), 2, 0),
    ...section(10, 1, code.length, ...code),
    ...section(11, 1, 0, 0x41, list, 0x0b, 8, 0, 1, 0, 0, 0, 4, 0, 0), // 1024 bytes from 256
  ]);
}

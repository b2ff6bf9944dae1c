// parley serve as a real process, and a proxy before it that cuts connections.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { repository } from './places.js';

const gopls = join(repository, 'build', 'bin', 'gopls');

/** Why there is no gopls to test with; false: there is one. In CI it is looked for in earnest. */
export const noGopls: string | false =
  existsSync(gopls) || process.env.CI === 'true' ? false : 'no build/bin/gopls; make deps builds it';

export const goplsCommand = [gopls];

/** Builds the binary under test, with the module that PARLEY_WASM names in place of the published one. */
export function buildParley(): string {
  if (process.env.PARLEY_BIN !== undefined) return process.env.PARLEY_BIN;
  const folder = join(repository, 'build', 'js');
  const binary = join(folder, 'parley');
  const overlay = join(folder, 'overlay.json');
  const published = join(repository, 'wasm', 'parley.wasm');
  mkdirSync(folder, { recursive: true });
  writeFileSync(overlay, JSON.stringify({ Replace: { [published]: resolve(process.env.PARLEY_WASM ?? published) } }));
  const { status, stderr } = spawnSync('go', ['build', '-overlay', overlay, '-o', binary, './cmd/parley'], {
    cwd: repository,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`go build: ${stderr}`);
  return binary;
}

/** Builds the binary for a sandbox, to the same bytes as the tests in Go, which keep its compiled code in the same place. */
export function buildGuest(): string {
  const file = join(repository, 'build', 'wasm', 'guest.wasm');
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w -buildid='];
  const { status, stderr } = spawnSync('go', ['build', ...flags, '-o', file, './cmd/parley'], {
    cwd: repository,
    encoding: 'utf8',
    env: { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm', CGO_ENABLED: '0' },
  });
  if (status !== 0) throw new Error(`go build: ${stderr}`);
  return file;
}

/** A running bridge. */
export interface Bridge {
  /** The page, with its token. */
  url: string;
  origin: string;
  token: string;
  pid: number;
  stop: () => Promise<void>;
}

/** Starts a bridge; flags are those of parley serve, the command of the server included. */
export async function serve(binary: string, ...flags: string[]): Promise<Bridge> {
  const child = spawn(binary, ['serve', '--json', '--listen', '127.0.0.1:0', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  for await (const line of createInterface(child.stdout)) {
    const { url, token } = JSON.parse(line) as { url: string; token: string };
    return { url, token, pid: child.pid!, origin: new URL(url).origin, stop: () => stop(child) };
  }
  throw new Error(`parley serve printed no address: ${said}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Kills the servers behind a bridge, and not the bridge. */
export function killChildren(pid: number): void {
  for (const child of childrenOf(pid)) process.kill(child, 'SIGKILL');
}

/** The command lines of the servers behind a bridge. */
export function commandsBelow(pid: number): string[][] {
  return childrenOf(pid).map((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0').slice(0, -1));
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}

/** A proxy on loopback that can cut everything that goes through it, and refuse what comes. */
export class CuttingProxy {
  isRefusing = false;
  #onRefusal: (() => void) | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The address of whom connections from now on are carried to. */
    public target: string,
  ) {}

  static async start(target: string): Promise<CuttingProxy> {
    const server = createServer((client) => proxy.#carry(client));
    const proxy = new CuttingProxy(server, target);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** An address of the target, by way of this proxy. */
  through(url: string): string {
    const address = new URL(url);
    address.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return address.href;
  }

  /** Resolves when the next connection is refused. */
  refusal(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRefusal = resolve;
    });
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.cut();
    this.server.close();
  }

  #carry(client: Socket): void {
    if (this.isRefusing) {
      client.destroy();
      this.#onRefusal?.();
      return;
    }
    const { hostname, port } = new URL(this.target);
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on('error', () => undefined); // a cut is one, and closes
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}

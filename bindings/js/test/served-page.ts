// A page in headless Chromium, served from loopback under a strict policy.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';

import { launch } from './chromium.js';
import { serveSockets } from './socket-server.js';

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";

/** Opens a page that runs script, hands it to use, and closes everything behind. */
export async function withPage<T>(use: (page: Page) => Promise<T>, script = 'page.js'): Promise<T> {
  const server = await serve({
    '/': ['text/html', '<!doctype html><script type="module" src="/page.js"></script>'],
    '/page.js': ['text/javascript', await bundle(script)],
    '/worker.js': ['text/javascript', await bundle('page-worker.js')],
    '/parley.wasm': ['application/wasm', readFileSync(new URL('../src/parley.wasm', import.meta.url))],
    '/favicon.ico': ['image/x-icon', ''],
  });
  let browser: Browser | undefined;
  try {
    browser = await launch();
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return await use(page);
  } finally {
    await browser?.close();
    server.closeAllConnections();
    server.close();
  }
}

async function bundle(file: string): Promise<Uint8Array> {
  const entry = fileURLToPath(new URL(file, import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    loader: { '.css': 'empty', '.ttf': 'empty' }, // what an editor looks like is not tested
  });
  return outputFiles[0]!.contents;
}

async function serve(files: Record<string, [type: string, content: string | Uint8Array]>): Promise<Server> {
  const server = createServer((request, response) => {
    const [type, content] = files[request.url ?? ''] ?? [];
    response.writeHead(type === undefined ? 404 : 200, { 'Content-Type': type, 'Content-Security-Policy': policy });
    response.end(content);
  });
  serveSockets(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

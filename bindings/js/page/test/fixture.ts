// What the tests in a browser share: the browser, the binary under test, its bridges, and folders with files.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';

import type { Browser } from 'playwright-core';

import { launch } from '../../test/chromium.js';
import { type Bridge, buildParley, serve } from './bridge.js';

export class Fixture {
  browser!: Browser;
  #binary!: string;
  #folder!: string;
  readonly #bridges: Bridge[] = [];

  /** Starts before the tests of the suite that it is made in, and ends everything after them. */
  constructor() {
    before(async () => {
      this.#binary = buildParley();
      this.#folder = mkdtempSync(join(tmpdir(), 'parley-page-'));
      this.browser = await launch();
    });
    after(async () => {
      await this.browser?.close();
      await Promise.all(this.#bridges.map((bridge) => bridge.stop()));
      if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true });
    });
  }

  async serve(...flags: string[]): Promise<Bridge> {
    const bridge = await serve(this.#binary, ...flags);
    this.#bridges.push(bridge);
    return bridge;
  }

  /** Makes a folder of that name with files. */
  folder(name: string, files: Record<string, string | Uint8Array>): string {
    const root = join(this.#folder, name);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    return root;
  }
}

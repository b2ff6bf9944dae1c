// Headless Chromium: where it is, and how it is started.

import { existsSync } from 'node:fs';

import { chromium, type Browser } from 'playwright-core';

const executable = process.env.PARLEY_CHROMIUM ?? '/usr/bin/chromium';

/** Why there is no Chromium to test with; false: there is one. In CI it is looked for in earnest. */
export const noChromium: string | false =
  existsSync(executable) || process.env.CI === 'true' ? false : `no ${executable}; install chromium, or set PARLEY_CHROMIUM`;

const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: executable, headless: true, chromiumSandbox: false, args: flags });

// The program parley, whose "peer" misbehaves on request: PARLEY_BIN, or built for the tests that ask.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const built = fileURLToPath(new URL('../../../../build/js/parley', import.meta.url));

/** Its path; undefined where there is neither it nor Go. */
export const parley: string | undefined = process.env.PARLEY_BIN ?? build();

/** Why tests without it are skipped; false: they are not. */
export const noParley: string | false =
  parley !== undefined || process.env.CI === 'true' ? false : 'no PARLEY_BIN, and no Go to build ./cmd/parley';

function build(): string | undefined {
  const { status, error, stderr } = spawnSync('go', ['build', '-o', built, './cmd/parley'], {
    cwd: repository,
    encoding: 'utf8',
  });
  if (error !== undefined) return undefined;
  if (status !== 0) throw new Error(`go build ./cmd/parley: ${stderr}`);
  return built;
}

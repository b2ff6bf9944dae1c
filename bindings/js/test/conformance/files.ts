// The vectors as they lie in the repository.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../../../conformance', import.meta.url));

/** The text of every *.rpc file by name. */
export function vectorFiles(): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.rpc'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

export const digestFile = (): string => readFileSync(join(folder, 'DIGEST'), 'utf8');

/** Names of vectors that some home does not satisfy yet; they are no part of the digest. */
export function gaps(): Set<string> {
  const lines = readFileSync(join(folder, 'GAPS'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return new Set(lines.map((line) => line.slice(0, line.indexOf(': '))));
}

/** The rows of a *.table file: a title behind "== ", and lines. */
export function tableRows(name: string): { title: string; lines: string[] }[] {
  const [, ...rows] = readFileSync(join(folder, name), 'utf8').split('\n== ');
  return rows.map((row) => {
    const [title = '', ...lines] = row.split('\n');
    return { title, lines: lines.filter((line) => line !== '') };
  });
}

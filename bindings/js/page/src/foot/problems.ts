// The problems that the server has published, of files that are open and of others.

import type { Position, Range } from '../editor/position.js';
import { Observable } from '../observable.js';

export type Severity = 'error' | 'warning' | 'info' | 'hint';

export interface Problem {
  uri: string;
  start: Position;
  severity: Severity;
  message: string;
  source: string;
}

/** What textDocument/publishDiagnostics carries. */
export interface Published {
  uri: string;
  diagnostics: { range: Range; severity?: number; message: string; source?: string }[];
}

const severities: Severity[] = ['error', 'warning', 'info', 'hint'];
const perFileMax = 500;
const filesMax = 1000;
const messageMax = 2000; // characters

export class Problems {
  /** All of them, the worst files first. */
  readonly all = new Observable<readonly Problem[]>([]);
  readonly #byUri = new Map<string, Problem[]>();

  publish({ uri, diagnostics }: Published): void {
    this.#byUri.delete(uri);
    const problems = diagnostics.slice(0, perFileMax).map(({ range, severity = 1, message, source = '' }) => ({
      uri,
      start: range.start,
      severity: severities[severity - 1] ?? 'error',
      message: message.slice(0, messageMax),
      source,
    }));
    if (problems.length > 0) this.#byUri.set(uri, problems);
    if (this.#byUri.size > filesMax) this.#byUri.delete(this.#byUri.keys().next().value!);
    this.all.set([...this.#byUri.values()].flat().sort(byWeight));
  }

  /** Another server begins: it publishes its own. */
  clear(): void {
    this.#byUri.clear();
    this.all.set([]);
  }
}

function byWeight(a: Problem, b: Problem): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) || a.uri.localeCompare(b.uri) || a.start.line - b.start.line
  );
}

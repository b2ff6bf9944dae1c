// What a file's name says of its language.

import { go } from '@codemirror/lang-go';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { python } from '@codemirror/lang-python';
import { indentUnit, type Language, type LanguageSupport } from '@codemirror/language';
import type { Extension } from '@codemirror/state';

interface Known {
  /** As the Language Server Protocol names it. */
  id: string;
  support?: () => LanguageSupport;
  indent?: string;
}

const plain: Known = { id: 'plaintext' };
const typescript = (jsx: boolean): Known => ({
  id: jsx ? 'typescriptreact' : 'typescript',
  support: () => javascript({ typescript: true, jsx }),
});

const byEnding = new Map<string, Known>(
  Object.entries({
    go: { id: 'go', support: go, indent: '\t' },
    'go.mod': { id: 'go.mod', indent: '\t' },
    'go.sum': { id: 'go.sum' },
    'go.work': { id: 'go.work', indent: '\t' },
    json: { id: 'json', support: json },
    jsonc: { id: 'jsonc', support: json },
    js: { id: 'javascript', support: () => javascript() },
    mjs: { id: 'javascript', support: () => javascript() },
    cjs: { id: 'javascript', support: () => javascript() },
    jsx: { id: 'javascriptreact', support: () => javascript({ jsx: true }) },
    ts: typescript(false),
    mts: typescript(false),
    tsx: typescript(true),
    py: { id: 'python', support: python, indent: '    ' },
    md: { id: 'markdown' },
    yaml: { id: 'yaml' },
    yml: { id: 'yaml' },
    c: { id: 'c' },
    h: { id: 'c' },
    cc: { id: 'cpp' },
    cpp: { id: 'cpp' },
    rs: { id: 'rust' },
    sh: { id: 'shellscript' },
    html: { id: 'html' },
    css: { id: 'css' },
  }),
);

function known(path: string): Known {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return byEnding.get(name) ?? byEnding.get(name.slice(name.lastIndexOf('.') + 1)) ?? plain;
}

export const languageIdOf = (path: string): string => known(path).id;

/** Highlighting and indentation. */
export function languageExtension(path: string): Extension {
  const { support, indent = '  ' } = known(path);
  return [indentUnit.of(indent), support?.() ?? []];
}

/** The language of a code block in a server's text. */
export function languageNamed(name: string): Language | null {
  const found = byEnding.get(name) ?? [...byEnding.values()].find(({ id }) => id === name);
  return found?.support?.().language ?? null;
}

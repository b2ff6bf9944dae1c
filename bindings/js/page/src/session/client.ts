// The language client of one session: what of the protocol the page uses.

import {
  findReferencesKeymap,
  formatKeymap,
  hoverTooltips,
  jumpToDefinitionKeymap,
  LSPClient,
  serverCompletion,
  serverDiagnostics,
  signatureHelp,
} from '@codemirror/lsp-client';
import { keymap } from '@codemirror/view';

import type { Documents } from '../editor/documents.js';
import { languageNamed } from '../editor/languages.js';
import { sanitize } from '../editor/markup.js';
import { OpenFiles } from '../editor/workspace.js';
import type { Published } from '../foot/problems.js';
import { complain, lineOf, tell } from '../frame/notices.js';

const requestTimeoutMs = 60_000; // a lost socket may resume for as long

export function makeClient(
  documents: Documents,
  rootUri: string | undefined,
  onProblems: (published: Published) => void,
): LSPClient {
  return new LSPClient({
    ...(rootUri !== undefined && { rootUri }),
    workspace: (client) => new OpenFiles(client, documents),
    timeout: requestTimeoutMs,
    sanitizeHTML: sanitize,
    highlightLanguage: languageNamed,
    notificationHandlers: {
      'textDocument/publishDiagnostics': (_, params: Published) => {
        onProblems(params);
        return false; // the editors show theirs
      },
      'window/logMessage': () => true, // the traffic panel has them
      'window/showMessage': (_, { type, message }: { type: number; message: string }) => {
        if (type === 1) complain(lineOf(message));
        else tell(lineOf(message));
        return true;
      },
    },
    extensions: [
      serverCompletion({ override: true }),
      hoverTooltips(),
      signatureHelp(),
      serverDiagnostics(),
      keymap.of([...formatKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
    ],
  });
}

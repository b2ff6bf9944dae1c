// A language server for JSON, as anybody would write one with Peer: the counterpart of "parley peer lsp".

import { Code, Mode, Peer, Profile, Role, RPCError, type Engine, type Json } from '../../src/node.js';
import { complete, diagnose, format, hover, symbols, type FormatOptions } from './language.js';
import { Fault } from './parse.js';
import { Text, type Position, type Range } from './text.js';

interface DocumentParams {
  textDocument: { uri: string; version: number; text: string };
}

interface PositionParams extends DocumentParams {
  position: Position;
}

interface ChangeParams extends DocumentParams {
  contentChanges: { range?: Range; text: string }[];
}

const capabilities = {
  positionEncoding: 'utf-16',
  textDocumentSync: { openClose: true, change: 2 },
  hoverProvider: true,
  documentSymbolProvider: true,
  documentFormattingProvider: true,
  completionProvider: {},
};

/** The server, which has yet to be connected. */
export function jsonServer(engine: Engine): Peer {
  const documents = new Map<string, Text>();
  let showsDiagnostics = false;
  const server = new Peer(engine, { profile: Profile.LSP, role: Role.Server });

  const publish = async (uri: string, more: object): Promise<void> => {
    if (showsDiagnostics) await server.notify('textDocument/publishDiagnostics', { uri, ...more });
  };
  const put = async ({ uri, version }: DocumentParams['textDocument'], content: string): Promise<void> => {
    const text = new Text(content);
    documents.set(uri, text);
    await publish(uri, { version, diagnostics: diagnose(text) });
  };
  const lose = async (uri: string, why: string): Promise<void> => {
    documents.delete(uri);
    await publish(uri, { diagnostics: [] });
    await server.notify('window/logMessage', {
      type: 1,
      message: `${uri} is not followed any more: ${why}; close it and open it again`,
    });
  };
  const documentOf = ({ textDocument }: DocumentParams): Text => {
    const text = documents.get(textDocument?.uri);
    if (text === undefined) throw new RPCError(Code.InvalidParams, `the document is not open: ${textDocument?.uri}`);
    return text;
  };

  return server
    .handle<{ capabilities?: { textDocument?: { publishDiagnostics?: object } } }>('initialize', {}, ({ value }) => {
      showsDiagnostics = value.capabilities?.textDocument?.publishDiagnostics !== undefined;
      return { capabilities, serverInfo: { name: 'parley-json' } };
    })
    .handle('initialized', { notification: true }, () => undefined)
    .handle('shutdown', { mode: Mode.Bypass }, () => null)
    .handle('exit', { notification: true }, () => undefined)
    .handle('textDocument/didOpen', { notification: true }, ({ value: { textDocument } }: Json<DocumentParams>) =>
      put(textDocument, textDocument.text),
    )
    .handle('textDocument/didChange', { notification: true }, async ({ value }: Json<ChangeParams>) => {
      const { uri } = value.textDocument;
      const known = documents.get(uri);
      if (known === undefined) return lose(uri, 'the document is not open');
      let text: Text = known;
      for (const change of value.contentChanges) {
        const [start, end] = change.range
          ? [text.offset(change.range.start), text.offset(change.range.end)]
          : [0, text.content.length];
        if (end < start) return lose(uri, 'a change ends before it starts');
        text = new Text(text.content.slice(0, start) + change.text + text.content.slice(end));
      }
      await put(value.textDocument, text.content);
    })
    .handle('textDocument/didClose', { notification: true }, async ({ value }: Json<DocumentParams>) => {
      documents.delete(value.textDocument.uri);
      await publish(value.textDocument.uri, { diagnostics: [] });
    })
    .handle('textDocument/hover', {}, ({ value }: Json<PositionParams>) => hover(documentOf(value), value.position))
    .handle('textDocument/completion', {}, ({ value }: Json<PositionParams>) => complete(documentOf(value), value.position))
    .handle('textDocument/documentSymbol', {}, ({ value }: Json<DocumentParams>) => symbols(documentOf(value)))
    .handle('textDocument/formatting', {}, ({ value }: Json<DocumentParams & { options: FormatOptions }>) => {
      const text = documentOf(value);
      try {
        return format(text, value.options);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const line = text.position(error.token.start).line + 1;
        throw new RPCError(Code.ServerCanceled, `the document has syntax errors: line ${line}: ${error.message}`);
      }
    });
}

// Each adapter has the type that its library asks for. Checked strictly, with the resolution of Node
// (tsconfig.test.json) and of bundlers (tsconfig.bundler.json); nothing here runs.

import type { LSPClient, Transport as CodeMirrorSeam } from '@codemirror/lsp-client';
import type { Transport as McpV2Client } from '@modelcontextprotocol/client';
import type { Transport as McpV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Transport as McpV2Server } from '@modelcontextprotocol/server';
import type { lsp } from 'monaco-editor';
import type * as v10 from 'vscode-jsonrpc-10';
import type * as v8 from 'vscode-jsonrpc-8';
import type * as v9 from 'vscode-jsonrpc-9';

import type { CodeMirrorTransport, ReconnectableClient } from '../../src/adapters/codemirror.js';
import type { McpTransport } from '../../src/adapters/mcp.js';
import type { MonacoTransport } from '../../src/adapters/monaco.js';
import type { VSCodeReader, VSCodeWriter } from '../../src/adapters/vscode-jsonrpc.js';

/** Fails to compile unless ours is assignable to theirs. */
type Fits<Ours extends Theirs, Theirs> = Ours;

/** Everything that has to fit. */
export type AllFit = [
  Fits<CodeMirrorTransport, CodeMirrorSeam>,
  Fits<LSPClient, ReconnectableClient>,
  Fits<VSCodeReader, v8.MessageReader>,
  Fits<VSCodeWriter, v8.MessageWriter>,
  Fits<VSCodeReader, v9.MessageReader>,
  Fits<VSCodeWriter, v9.MessageWriter>,
  Fits<VSCodeReader, v10.MessageReader>,
  Fits<VSCodeWriter, v10.MessageWriter>,
  Fits<MonacoTransport, ConstructorParameters<typeof lsp.MonacoLspClient>[0]>,
  Fits<McpTransport, McpV1>,
  Fits<McpTransport, McpV2Client>,
  Fits<McpTransport, McpV2Server>,
  // @ts-expect-error: what does not fit is found
  Fits<MonacoTransport, McpV1>,
];

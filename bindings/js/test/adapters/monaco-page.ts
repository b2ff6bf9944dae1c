// The real monaco.lsp in a page: a client on our transport, a server of ours behind a MessagePort.

import { editor, lsp } from 'monaco-editor';

import { MonacoTransport } from '../../src/adapters/monaco.js';
import { init, Peer, portTransport, Profile, Role } from '../../src/browser.js';
import { Deferred } from '../../src/deferred.js';

/** What the page saw. */
interface Seen {
  opened: { languageId: string; text: string };
  markers: string[];
  states: string[];
  lost: string;
}

/** Called by the test from outside. */
declare global {
  var editWithMonaco: () => Promise<Seen>;
}

globalThis.editWithMonaco = async () => {
  const engine = await init();
  const { port1, port2 } = new MessageChannel();
  const opened = new Deferred<Seen['opened'] & { uri: string }>();
  const asked = new Deferred<void>();
  const server = new Peer(engine, { profile: Profile.LSP, role: Role.Server })
    .handle('initialize', {}, () => ({ capabilities: { textDocumentSync: 1 } }))
    .handle('initialized', { notification: true }, () => undefined)
    .handle<{ textDocument: Seen['opened'] & { uri: string } }>('textDocument/didOpen', { notification: true }, ({ value }) =>
      opened.resolve(value.textDocument),
    )
    .connect(portTransport(port2));
  const states: string[] = [];
  const transport = new MonacoTransport(engine, portTransport(port1));
  transport.state.onChange(({ state }) => states.push(state));
  editor.createModel('hello', 'plaintext');
  new lsp.MonacoLspClient(transport);
  const { uri, languageId, text } = await opened.promise;

  const marked = new Deferred<void>();
  const subscription = editor.onDidChangeMarkers(() => marked.resolve());
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } };
  await server.notify('textDocument/publishDiagnostics', { uri, diagnostics: [{ range, message: 'a greeting', severity: 1 }] });
  await marked.promise;
  subscription.dispose();
  const markers = editor.getModelMarkers({}).map(({ message }) => message);

  // A client whose server leaves before it answers the handshake: nobody can catch that rejection but the page.
  const silent = new MessageChannel();
  const rejected = new Promise<unknown>((resolve) =>
    addEventListener('unhandledrejection', ({ reason }) => resolve(reason), { once: true }),
  );
  const mute = portTransport(silent.port2);
  mute.start({ chunk: () => asked.resolve(), end: () => undefined });
  new lsp.MonacoLspClient(new MonacoTransport(engine, portTransport(silent.port1)));
  await asked.promise;
  await mute.close();
  const lost = await rejected;

  await server.close();
  await transport.relay.closed;
  return { opened: { languageId, text }, markers, states, lost: lost instanceof Error ? lost.message : JSON.stringify(lost) };
};

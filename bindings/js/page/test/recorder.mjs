// A language server that publishes what it was told: one diagnostic with the text it holds, and how many
// changes led to it. Methods that it does not know are answered with null; "burst" notifications come on demand.

const hostile =
  'before <img src=x onerror="document.title=1"> <style>*{display:none}</style> <script>document.title=1</script>' +
  ' [a](javascript:document.title=1) [b](https://example.com/) <form action=/><input></form> **after**';

let buffered = Buffer.alloc(0);
let text = '';
let changes = 0;

process.stdin.on('data', (chunk) => {
  buffered = Buffer.concat([buffered, chunk]);
  for (;;) {
    const end = buffered.indexOf('\r\n\r\n');
    if (end < 0) return;
    const size = Number(/Content-Length: (\d+)/i.exec(buffered.subarray(0, end).toString())[1]);
    if (buffered.length < end + 4 + size) return;
    const message = JSON.parse(buffered.subarray(end + 4, end + 4 + size).toString());
    buffered = buffered.subarray(end + 4 + size);
    receive(message);
  }
});
process.stdin.on('end', () => process.exit(0));
process.stderr.write('recorder: ready\n');

function receive({ id, method, params }) {
  if (method === 'initialize') return send({ id, result: { capabilities: { textDocumentSync: 1, hoverProvider: true } } });
  if (method === 'exit') return process.exit(0);
  if (method === 'textDocument/didOpen') return publish(params.textDocument, params.textDocument.text);
  if (method === 'textDocument/didChange') {
    changes++;
    return publish(params.textDocument, params.contentChanges.at(-1).text);
  }
  if (method === 'textDocument/hover') return send({ id, result: { contents: { kind: 'markdown', value: hostile } } });
  if (id !== undefined) send({ id, result: null });
}

function publish({ uri, version }, now) {
  text = now;
  const start = { line: 0, character: 0 };
  const message = JSON.stringify({ version, changes, text });
  send({
    method: 'textDocument/publishDiagnostics',
    params: { uri, version, diagnostics: [{ range: { start, end: start }, severity: 3, message }] },
  });
  const burst = /burst (\d+)!/.exec(text);
  for (let i = 0; i < Number(burst?.[1] ?? 0); i++) send({ method: 'burst', params: { i } });
}

function send(message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

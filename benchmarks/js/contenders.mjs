// Who decodes in Node. Each takes the chunks of the input, its bytes and its frames, and returns a function
// that decodes all of them once and returns how many messages there were.

import { createRequire } from 'node:module';

import { EventKind, Inbound, init, MachineEvent, Profile, Role } from '../../bindings/js/build/benchmarks/node.js';

const require = createRequire(new URL('../../bindings/js/package.json', import.meta.url));
const answerID = '7';

export const contenders = {
  'raw': (chunks, bytes, frames) => parley(chunks, bytes, frames, () => {}),
  'parsed': (chunks, bytes, frames) => parley(chunks, bytes, frames, (event) => JSON.parse(event.bodyText)),
  'split': splitAndParse,
  'vscode-8': (chunks, _, frames) => vscode(chunks, frames, require('vscode-jsonrpc-8/node')),
  'vscode-10': (chunks, _, frames) => vscode(chunks, frames, require('vscode-jsonrpc-10/node')),
  'mcp-1': (chunks, bytes) => mcp(chunks, bytes, require('@modelcontextprotocol/sdk/shared/stdio.js')),
  'mcp-2': (chunks, bytes) => mcp(chunks, bytes, require('@modelcontextprotocol/server')),
};

/** The machine, with the call that the answer belongs to; look sees each event that has a body. */
async function parley(chunks, bytes, frames, look) {
  const engine = await init();
  const frameBytesMax = Math.max(bytes, 1 << 24);
  const machine = engine.machine({ profile: Profile.LSP, role: Role.Client, inbound: Inbound.Messages, limits: { frameBytesMax } });
  const event = new MachineEvent();
  const isAnswer = Buffer.concat(chunks).includes(`"id":${answerID},"result"`);
  return () => {
    if (isAnswer) {
      machine.call('textDocument/completion', undefined, { id: answerID });
      const block = machine.take();
      machine.wrote(block.length);
    }
    machine.want(frames);
    let found = 0;
    for (const chunk of chunks) {
      machine.turn(1, false, { received: chunk });
      while (machine.next(event)) {
        if (event.kind !== EventKind.Notification && event.kind !== EventKind.Result) continue;
        look(event);
        found++;
      }
    }
    if (machine.error) throw machine.error;
    return found;
  };
}

/** What a page would write by hand, at its fastest: one text, cut at the headers, and JSON.parse. */
function splitAndParse(chunks) {
  const decoder = new TextDecoder();
  return () => {
    const input = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    let found = 0;
    for (const text of decoder.decode(input).split(/Content-Length: \d+\r\n\r\n/)) {
      if (text === '') continue;
      JSON.parse(text);
      found++;
    }
    return found;
  };
}

/** The reader of vscode-jsonrpc on a stream that emits the chunks. It decodes what it gathers in later turns. */
function vscode(chunks, frames, { ReadableStreamMessageReader }) {
  let emit;
  const stream = {
    onData: (listener) => { emit = listener; return { dispose() {} }; },
    onClose: () => ({ dispose() {} }),
    onError: () => ({ dispose() {} }),
    onEnd: () => ({ dispose() {} }),
  };
  const reader = new ReadableStreamMessageReader(stream, 'utf-8');
  let found = 0;
  let done;
  reader.onError((error) => { throw error; });
  reader.listen(() => { if (++found === frames) done(found); });
  return () => new Promise((resolve) => {
    found = 0;
    done = resolve;
    for (const chunk of chunks) emit(chunk);
  });
}

/** The read buffer of the MCP SDK, which gets one message a line and checks each with its schemas. */
function mcp(chunks, bytes, { ReadBuffer }) {
  const buffer = new ReadBuffer({ maxBufferSize: bytes + 1 });
  return () => {
    let found = 0;
    for (const chunk of chunks) {
      buffer.append(chunk);
      while (buffer.readMessage() !== null) found++;
    }
    return found;
  };
}

// Who calls and answers in Node: two ends in this process, over a pair of streams in memory. Each returns a
// function that makes one round trip.

import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';

import { init, Peer, Profile, Role } from '../../bindings/js/build/benchmarks/node.js';

const require = createRequire(new URL('../../bindings/js/package.json', import.meta.url));
const params = { textDocument: { uri: 'file:///home/user/main.go' }, position: { line: 3, character: 7 } };

export const echoers = {
  'echo-parley': parley,
  'echo-vscode-8': () => vscode(require('vscode-jsonrpc-8/node')),
  'echo-vscode-10': () => vscode(require('vscode-jsonrpc-10/node')),
  'echo-mcp-2': mcp,
};

/** Two ends of one connection, each with what it reads and what it writes. */
function pair() {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [{ reads: back, writes: there }, { reads: there, writes: back }];
}

async function parley() {
  const engine = await init();
  const [near, far] = pair();
  new Peer(engine, { profile: Profile.LSP, role: Role.Server }).handle('echo', {}, (given) => given).connect(transport(far));
  const client = new Peer(engine, { profile: Profile.LSP, role: Role.Client }).connect(transport(near));
  return () => client.call('echo', params);
}

/** As the transport of a child process: a write is done when the stream has taken it, which is mostly at once. */
function transport({ reads, writes }) {
  return {
    isWhole: false,
    start: (sink) => void reads.on('data', (chunk) => sink.chunk(chunk)).once('end', () => sink.end()),
    write: (bytes) => {
      let settle;
      writes.write(bytes, (error) => settle?.(error));
      if (writes.writable && writes.writableLength === 0) return undefined;
      return new Promise((resolve, reject) => (settle = (error) => (error ? reject(error) : resolve())));
    },
    closeWrite: () => writes.end(),
    close: async () => void writes.end(),
  };
}

async function vscode({ createMessageConnection, StreamMessageReader, StreamMessageWriter }) {
  const [client, server] = pair().map(({ reads, writes }) =>
    createMessageConnection(new StreamMessageReader(reads), new StreamMessageWriter(writes)),
  );
  server.onRequest('echo', (given) => given);
  server.listen();
  client.listen();
  return () => client.sendRequest('echo', params);
}

/** Asks ping, which both ends know and which has no params. */
async function mcp() {
  const { Client } = require('@modelcontextprotocol/client');
  const { Server } = require('@modelcontextprotocol/server');
  const { StdioServerTransport } = require('@modelcontextprotocol/server/stdio');
  const [near, far] = pair().map(({ reads, writes }) => new StdioServerTransport(reads, writes));
  const info = { name: 'benchmarks', version: '1' };
  await new Server(info, { capabilities: {} }).connect(far);
  const client = new Client(info);
  await client.connect(near);
  return () => client.ping();
}

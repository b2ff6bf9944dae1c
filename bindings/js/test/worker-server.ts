// A server in a worker, behind the port that it is given.

import { workerData, type MessagePort } from 'node:worker_threads';

import { init, Peer, portTransport, Profile, Role } from '../src/node.js';

const { port } = workerData as { port: MessagePort };

const server = new Peer(await init(), { profile: Profile.LSP, role: Role.Server });
server
  .handle('initialize', {}, () => ({ capabilities: {} }))
  .handle<[unknown]>('echo', {}, ({ value }) => value[0])
  .handle('shutdown', {}, () => null)
  .handle('exit', { notification: true }, () => undefined)
  .connect(portTransport(port));
await server.closed;

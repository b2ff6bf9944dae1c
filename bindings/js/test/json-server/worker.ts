// The server in a worker, behind the port that it is given; the worker's exit code is the server's.

import { workerData, type MessagePort } from 'node:worker_threads';

import { init, portTransport } from '../../src/node.js';
import { jsonServer } from './server.js';

const { port } = workerData as { port: MessagePort };
const server = jsonServer(await init()).connect(portTransport(port));
await server.closed;
process.exit(server.state.exitCode);

// A WebSocket server on loopback whose every socket is a session.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

import { WebSocketServer, type WebSocket } from 'ws';

import { init, Mode, Peer, Profile, Role, webSocketTransport, type WebSocketLike, type WebSocketOptions } from '../src/node.js';

/** Serves echo, and count, which says how many notifications "tell" came, with the params of the last. */
export async function session(socket: WebSocket, options: WebSocketOptions = {}): Promise<Peer> {
  const transport = webSocketTransport(socket as WebSocketLike, options);
  let told = 0;
  let last: unknown;
  return new Peer(await init(), { profile: Profile.Plain, role: Role.Server })
    .handle<[unknown]>('echo', {}, ({ value }) => value[0])
    .handle('tell', { notification: true }, ({ value }) => {
      told++;
      last = value;
    })
    .handle(
      'wait',
      { mode: Mode.Background },
      (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    )
    .handle('count', {}, () => [told, last])
    .connect(transport);
}

/** Sockets for the pages of a server. */
export function serveSockets(server: Server): void {
  new WebSocketServer({ server }).on('connection', (socket, request) => {
    void session(socket, { binary: request.url === '/binary' });
  });
}

/** A server of its own, its address, and its end. */
export async function listen(accept: (socket: WebSocket) => void): Promise<{ url: string; end: () => Promise<void> }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', accept);
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    end: async () => {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// What the tests of the adapters share: a wire for scripted peers, and a served port for whole ones.

import type { TestContext } from 'node:test';

import { init, Peer, portTransport, Profile, Role, type Engine, type Transport } from '../../src/node.js';
import { Wire } from '../fakes.js';

/** What an adapter reported of the application's own code and of the peer's. */
export interface Reports {
  onError: (error: unknown, where: string) => void;
  readonly texts: string[];
}

export function reports(): Reports {
  const texts: string[] = [];
  return { texts, onError: (error, where) => void texts.push(`${where}: ${error}`) };
}

/** A wire whose far side is played by the test, one JSON text a message. */
export const wholeWire = (): Wire => new Wire(true);

/** A server of ours behind a MessagePort, and the transport to it. It is ended behind the test. */
export async function serve(
  t: TestContext,
  prepare: (peer: Peer) => Peer,
  profile: Profile = Profile.LSP,
): Promise<{ engine: Engine; server: Peer; transport: Transport }> {
  const engine = await init();
  const { port1, port2 } = new MessageChannel();
  const server = prepare(new Peer(engine, { profile, role: Role.Server })).connect(portTransport(port2));
  t.after(() => server.dispose());
  return { engine, server, transport: portTransport(port1) };
}

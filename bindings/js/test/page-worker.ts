// A server in a worker of the page, on a module of its own.

import { init, Mode, Peer, portTransport, Profile, Role, type PortLike } from '../src/worker.js';

const transport = portTransport(globalThis as unknown as PortLike);
const server = new Peer(await init(), { profile: Profile.Plain, role: Role.Server });
server
  .handle<[unknown]>('echo', {}, ({ value }) => value[0])
  .handle(
    'wait',
    { mode: Mode.Background },
    (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
  )
  .connect(transport);

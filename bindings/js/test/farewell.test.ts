// What a language server is told at the end (STOP-10), and what close says where it does not listen.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ChildTransport, init, Peer, Profile, Reason, Role, RPCError, SessionError, UsageError } from '../src/node.js';
import { dial, failsAs, settled, type Session } from './fakes.js';

/** A client whose server has answered a handshake. */
async function greeted(handshake = 'initialize', options = {}): Promise<Session> {
  const session = await dial({ profile: Profile.LSP, role: Role.Client, ...options }, undefined, true);
  const call = session.peer.call(handshake, {});
  session.wire.hear({ jsonrpc: '2.0', id: 1, result: { capabilities: {} } });
  await call;
  return session;
}

const methods = ({ wire }: Session): string[] => wire.messages.map(({ method }) => method);

test('close says shutdown, waits for its answer, says exit, and closes behind it', async () => {
  for (const [handshake, shutdown, exit] of [
    ['initialize', 'shutdown', 'exit'],
    ['build/initialize', 'build/shutdown', 'build/exit'],
  ]) {
    const session = await greeted(handshake);
    const { peer, wire } = session;
    const [first, second] = [peer.close(), peer.close()];
    await settled();
    assert.deepEqual(methods(session), [handshake, shutdown]);
    assert.equal(wire.isClosed, false);
    wire.hear({ jsonrpc: '2.0', id: 2, result: null });
    assert.deepEqual([await first, await second], [undefined, undefined]);
    assert.deepEqual(methods(session), [handshake, shutdown, exit]);
    assert.ok(wire.isClosed);
    assert.equal(await peer.close(), undefined);
  }
});

test('calls that are open may end while the server takes leave, and fail as Closed then', async () => {
  const { peer, wire } = await greeted();
  const [answered, open] = [peer.call('a'), peer.call('b')];
  const closing = peer.close();
  await settled();
  wire.hear({ jsonrpc: '2.0', id: 2, result: 'in time' });
  assert.equal(await answered, 'in time');
  wire.hear({ jsonrpc: '2.0', id: 4, result: null });
  await assert.rejects(open, failsAs(UsageError.Closed));
  assert.equal(await closing, undefined);
});

test('what the owner has said already is not said again', async () => {
  const session = await greeted();
  const { peer, wire } = session;
  const shutdown = peer.call('shutdown');
  await settled();
  wire.hear({ jsonrpc: '2.0', id: 2, result: null });
  await shutdown;
  assert.equal(await peer.close(), undefined);
  assert.deepEqual(methods(session), ['initialize', 'shutdown', 'exit']);

  const polite = await greeted();
  const goodbye = polite.peer.call('shutdown');
  await settled();
  polite.wire.hear({ jsonrpc: '2.0', id: 2, result: null });
  await goodbye;
  await polite.peer.notify('exit');
  assert.equal(await polite.peer.close(), undefined);
  assert.deepEqual(methods(polite), ['initialize', 'shutdown', 'exit']);
});

test('nobody else is told goodbye: no handshake, an error to it, another profile or role, shutdown, dispose', async () => {
  const early = await dial({ profile: Profile.LSP, role: Role.Client }, undefined, true);
  assert.equal(await early.peer.close(), undefined);
  assert.deepEqual(methods(early), []);

  const refused = await dial({ profile: Profile.LSP, role: Role.Client }, undefined, true);
  const call = refused.peer.call('initialize', {});
  refused.wire.hear({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'not today' } });
  await assert.rejects(call, RPCError);
  assert.equal(await refused.peer.close(), undefined);
  assert.deepEqual(methods(refused), ['initialize']);

  for (const session of [
    await greeted('initialize', { profile: Profile.MCP }),
    await greeted('initialize', { role: Role.Server }),
  ]) {
    assert.equal(await session.peer.close(), undefined);
    assert.deepEqual(methods(session), ['initialize']);
  }
  const stopped = await greeted();
  assert.equal(await stopped.peer.shutdown(), undefined);
  assert.equal(await stopped.peer.close(), undefined);
  const disposed = await greeted();
  await disposed.peer.dispose();
  assert.equal(await disposed.peer.close(), undefined);
  for (const session of [stopped, disposed]) assert.deepEqual(methods(session), ['initialize']);
});

test('a server that does not answer shutdown is left at the end of the grace, and close says so', async () => {
  const { peer, wire, clock } = await greeted('initialize', { graceNs: 200e6 });
  const closing = peer.close();
  await settled();
  clock.pass(199);
  clock.runHops();
  await settled();
  assert.equal(wire.isWriteClosed, false);
  clock.pass(1);
  clock.runHops();
  assert.ok(failsAs(UsageError.Timeout)(await closing));
  assert.ok(wire.isClosed);
});

test('a server that answers shutdown with an error, or dies over it, does not hold close up', async () => {
  const rude = await greeted();
  const closing = rude.peer.close();
  await settled();
  rude.wire.hear({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'no' } });
  assert.match((await closing)?.message ?? '', /call "shutdown": error -32603: no/);

  const dying = await greeted();
  const last = dying.peer.close();
  await settled();
  dying.wire.hangUp();
  assert.ok(failsAs(UsageError.Closed)(await last));

  const broken = await greeted();
  const end = broken.peer.close();
  await settled();
  broken.wire.hangUp(new Error('ECONNRESET'));
  const why = await end;
  assert.ok(why instanceof SessionError && why.reason === Reason.ReadFailed);

  const gone = await greeted();
  gone.wire.hangUp();
  await gone.peer.closed;
  assert.equal(await gone.peer.close(), undefined, 'a session that is over takes no leave');
});

test('a client whose server does not read takes leave within the grace all the same', async () => {
  const { peer, wire, clock } = await greeted('initialize', { graceNs: 200e6, shutdownNs: 200e6, limits: { outBytesMax: 50 } });
  wire.isStuck = true;
  void peer.notify('a', ['x'.repeat(100)]);
  peer.notify('b', ['x'.repeat(100)]).catch(() => undefined);
  const waiting = peer.notify('c', ['x'.repeat(100)]).catch(String);
  const closing = peer.close();
  await settled();
  for (let ms = 0; ms < 1000 && !wire.isClosed; ms += 10) {
    clock.pass(10);
    clock.runHops();
    await settled();
  }
  assert.ok(failsAs(UsageError.Timeout)(await closing));
  assert.match(String(await waiting), /notify "c": session/);
});

test('dispose ends a close that waits', async () => {
  const { peer, wire } = await greeted();
  const closing = peer.close();
  await settled();
  await peer.dispose();
  assert.ok(failsAs(UsageError.Closed)(await closing));
  assert.ok(wire.isClosed);
});

test('a child of a language server exits by itself, and gets no signal', async () => {
  const server = ` 
    const say = (text) => process.stdout.write('Content-Length: ' + text.length + '\\r\\n\\r\\n' + text);
    const ids = { initialize: 1, shutdown: 2 };
    let seen = '';
    process.stdin.on('data', (chunk) => {
      seen += chunk;
      for (const [method, id] of Object.entries(ids)) {
        if (!seen.includes('"' + method + '"')) continue;
        delete ids[method];
        say('{"jsonrpc":"2.0","id":' + id + ',"result":null}');
      }
      if (seen.includes('"exit"')) process.exit(42);
    });`;
  const child = new ChildTransport(process.execPath, ['--input-type=module', '-e', server], { graceMs: 60_000 });
  const peer = new Peer(await init(), { profile: Profile.LSP, role: Role.Client }).connect(child);
  await peer.call('initialize', {});
  assert.equal(await peer.close(), undefined);
  assert.equal(await child.exited, 'exit status 42');
});

// The calls of ours that have no outcome yet.

import { EventKind } from './abi.gen.js';
import { encodeParams, PendingCall, spell, type BatchItem, type CallOptions } from './call.js';
import type { Clock } from './clock.js';
import type { Deferred, Owed } from './deferred.js';
import type { MachineEvent } from './event.js';
import type { Farewell } from './farewell.js';
import { Json } from './json.js';
import type { Machine } from './machine.js';
import type { Session } from './session.js';

export class Calls {
  readonly #pending = new Map<number, PendingCall<unknown>>();

  constructor(
    private readonly session: Session,
    private readonly clock: Clock,
    private readonly farewell: Farewell,
  ) {}

  call<T>(method: string, params: unknown, options: CallOptions, decode: (result: Json) => T): Promise<T> {
    const call = new PendingCall(this.session.owe<T>(), method, options, decode);
    this.session.send(call.outcome, 'call', method, options.signal, () => {
      const text = encodeParams('call', method, params);
      const spelled = spell(this.clock.now(), options);
      return {
        deadline: spelled.deadline,
        run: (machine) => this.#accepted(machine.call(method, text, spelled), call),
      };
    });
    return call.outcome.promise;
  }

  /** The outcome of each item, in their order; of a notification, that it is in the queue. */
  batch(items: readonly BatchItem[]): Promise<unknown>[] {
    const members = items.map(
      (item) => new PendingCall(this.session.owe<unknown>(), item.method, item, (result) => result.value),
    );
    const all: Owed = { reject: (error) => members.forEach(({ outcome }) => void outcome.reject(error)) };
    this.session.send(all, 'batch', '', firstToAbort(items), () => {
      const now = this.clock.now();
      const spelled = items.map((item) => ({
        ...spell(now, item),
        method: item.method,
        notification: item.notification ?? false,
        ...paramsOf(item),
      }));
      return {
        deadline: Math.min(...spelled.map(({ deadline }) => deadline)),
        run: (machine) => {
          for (const [i, handle] of machine.batch(spelled).entries()) {
            if (handle === 0) (members[i]!.outcome as Deferred<unknown>).resolve(undefined);
            else this.#accepted(handle, members[i]!);
          }
        },
      };
    });
    return members.map(({ outcome }) => outcome.promise);
  }

  #accepted<T>(handle: number, call: PendingCall<T>): void {
    this.#pending.set(handle, call as PendingCall<unknown>);
    call.onAbort(() => this.session.input((machine) => machine.cancel(handle)));
  }

  settle(event: MachineEvent): void {
    const call = this.#pending.get(event.call);
    if (call === undefined) return;
    this.#pending.delete(event.call);
    if (event.kind === EventKind.Result) this.farewell.answered(call.method);
    call.settle(event, () => this.session.why());
  }

  progress(event: MachineEvent): void {
    const call = this.#pending.get(event.call);
    const onProgress = call?.options.onProgress;
    if (onProgress === undefined) return;
    const params = new Json(event.bodyText ?? 'null');
    this.session.later(() => onProgress(params), `progress of "${call?.method}"`);
  }

  /** The session is being closed: the peer is told that nobody waits any more. */
  cancelAll(machine: Machine): void {
    for (const [handle, call] of this.#pending) {
      call.isClosing = true;
      machine.cancel(handle);
    }
  }

  loseAll(): void {
    for (const call of this.#pending.values()) call.lose(() => this.session.why());
    this.#pending.clear();
  }
}

function paramsOf({ method, params }: BatchItem): { params?: string } {
  const text = encodeParams('batch', method, params);
  return text === undefined ? {} : { params: text };
}

function firstToAbort(items: readonly BatchItem[]): AbortSignal | undefined {
  const signals = items.flatMap(({ signal }) => signal ?? []);
  return signals.length === 0 ? undefined : AbortSignal.any(signals);
}

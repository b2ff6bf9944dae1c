// Events as editors have them: a function that takes a listener and gives a way to leave.

/** What takes a subscription back. */
export interface Disposable {
  dispose(): void;
}

/** Calls listener with each value until it is disposed. thisArg is what this is in it; disposables gets the result too. */
export type EventOf<T> = (listener: (value: T) => unknown, thisArg?: unknown, disposables?: Disposable[]) => Disposable;

export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => unknown>();

  /** report gets what a listener throws: it is not the others' end. */
  constructor(private readonly report: (error: unknown) => void) {}

  readonly event: EventOf<T> = (listener, thisArg, disposables) => {
    const call = (value: T): unknown => listener.call(thisArg, value);
    this.#listeners.add(call);
    const subscription = { dispose: () => void this.#listeners.delete(call) };
    disposables?.push(subscription);
    return subscription;
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.report(error);
      }
    }
  }

  /** Nobody hears anything any more. */
  dispose(): void {
    this.#listeners.clear();
  }
}

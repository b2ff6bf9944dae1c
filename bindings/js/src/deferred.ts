// Promises with their two ends, and the book of those that are still owed.

/** What a rejection can be told to. */
export interface Owed {
  reject(error: unknown): void;
}

export class Deferred<T> implements Owed {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;

  /** settled is told once the promise is nobody's debt any more. */
  constructor(settled: () => void = () => undefined) {
    let resolve!: (value: T) => void;
    let reject!: (error: unknown) => void;
    this.promise = new Promise<T>((...ends) => ([resolve, reject] = ends));
    this.resolve = (value) => {
      settled();
      resolve(value);
    };
    this.reject = (error) => {
      settled();
      reject(error);
    };
  }
}

/** What a session owes its callers, whichever part of it is at work on each. */
export class Debts {
  readonly #open = new Set<Promise<unknown>>();

  owe<T>(): Deferred<T> {
    const debt: Deferred<T> = new Deferred<T>(() => this.#open.delete(debt.promise));
    this.#open.add(debt.promise);
    return debt;
  }

  /** Makes the rejection of everything that is open nobody's surprise. */
  forgive(): void {
    for (const promise of this.#open) promise.catch(() => undefined);
  }
}

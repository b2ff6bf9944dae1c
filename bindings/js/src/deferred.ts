// A promise with its two ends.

/** What a rejection can be told to. */
export interface Owed {
  reject(error: unknown): void;
  /** A rejection is nobody's surprise any more. */
  forgive(): void;
}

export class Deferred<T> implements Owed {
  resolve!: (value: T) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  forgive(): void {
    this.promise.catch(() => undefined);
  }
}

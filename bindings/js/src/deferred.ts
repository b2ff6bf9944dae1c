// Promises with their two ends, and the book of those that are still owed.

/** What a rejection can be told to. */
export interface Owed {
  reject(error: unknown): void;
}

export class Deferred<T> implements Owed {
  readonly promise: Promise<T>;
  resolve!: (value: T) => void;
  #reject!: (error: unknown) => void;

  constructor(private readonly book: Book = { isForgiven: false }) {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.#reject = reject;
    });
  }

  reject(error: unknown): void {
    if (this.book.isForgiven) this.promise.catch(() => undefined);
    this.#reject(error);
  }
}

/** Whether a rejection is nobody's surprise. */
interface Book {
  isForgiven: boolean;
}

/** What a session owes its callers, whichever part of it is at work on each. */
export class Debts {
  #book: Book = { isForgiven: false };

  owe<T>(): Deferred<T> {
    return new Deferred<T>(this.#book);
  }

  /** Makes the rejection of everything that is open nobody's surprise. */
  forgive(): void {
    this.#book.isForgiven = true;
    this.#book = { isForgiven: false };
  }
}

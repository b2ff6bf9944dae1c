// A value that others follow.

/** Holds a value and tells its followers every new one, in the order in which they came. */
export class Observable<T> {
  #value: T;
  readonly #followers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const follow of [...this.#followers]) follow(value);
  }

  /** Tells the value now and whenever it is set; the result ends that. */
  follow(follower: (value: T) => void): () => void {
    this.#followers.add(follower);
    follower(this.#value);
    return () => this.#followers.delete(follower);
  }
}

// How long to wait before the next attempt.

export interface BackoffOptions {
  attemptsMax?: number;
  delayMs?: number;
  delayMaxMs?: number;
  random?: () => number;
}

/** Doubles from attempt to attempt, and spreads each delay, so that a server's clients do not return as one. */
export class Backoff {
  /** The attempt in a row, from 1. */
  attempt = 1;
  readonly #attemptsMax: number;
  readonly #delayMs: number;
  readonly #delayMaxMs: number;
  readonly #random: () => number;

  constructor({ attemptsMax = 12, delayMs = 250, delayMaxMs = 8_000, random = Math.random }: BackoffOptions) {
    this.#attemptsMax = attemptsMax;
    this.#delayMs = delayMs;
    this.#delayMaxMs = delayMaxMs;
    this.#random = random;
  }

  /** The delay before the next attempt; undefined: there is none left. */
  next(): number | undefined {
    if (this.attempt >= this.#attemptsMax) return undefined;
    const delayMs = Math.min(this.#delayMs * 2 ** (this.attempt - 1), this.#delayMaxMs);
    this.attempt++;
    return Math.round(delayMs * (0.5 + this.#random()));
  }

  reset(): void {
    this.attempt = 1;
  }
}

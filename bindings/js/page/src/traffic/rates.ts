// What the charts draw: the last minute, by the second and by the answer.

import { isAnswer, type Direction, type Message } from './message.js';

const windowSeconds = 60;
const answersMax = 2000; // the newest in the window

type Counts = Record<Direction, number>;

/** Columns of one chart: seconds since the page was opened, and a column a series. */
export type Columns = [seconds: number[], ...series: (number | null)[][]];

interface Answer {
  second: number;
  latencyMs: number;
  isError: boolean;
}

/** undefined: a message is no answer, or one to nothing. */
export function answerOf(message: Message): Answer | undefined {
  const { atMs, kind, latencyMs } = message;
  if (!isAnswer(message) || latencyMs === undefined) return undefined;
  return { second: atMs / 1000, latencyMs, isError: kind === 'error' };
}

/** The latency of answers, results and errors apart. */
export const latencyColumns = (answers: Answer[]): Columns => [
  answers.map(({ second }) => second),
  answers.map(({ latencyMs, isError }) => (isError ? null : latencyMs)),
  answers.map(({ latencyMs, isError }) => (isError ? latencyMs : null)),
];

export class Rates {
  readonly #seconds: Counts[] = Array.from({ length: windowSeconds + 1 }, () => ({ sent: 0, received: 0 }));
  #newest = 0; // the second of the newest bucket
  #answers: Answer[] = [];

  add(message: Message): void {
    const second = Math.floor(message.atMs / 1000);
    this.#advance(second);
    this.#bucket(second)[message.direction]++;
    const answer = answerOf(message);
    if (answer === undefined) return;
    this.#answers.push(answer);
    if (this.#answers.length > answersMax) this.#answers.shift();
  }

  /** Messages a second, sent and received, until the last second that is over. */
  throughput(nowMs: number): Columns {
    const now = Math.floor(nowMs / 1000);
    this.#advance(now);
    const seconds = Array.from({ length: windowSeconds }, (_, i) => now - windowSeconds + i);
    const column = (way: Direction): number[] => seconds.map((second) => (second < 0 ? 0 : this.#bucket(second)[way]));
    return [seconds, column('sent'), column('received')];
  }

  /** The latency of every answer, results and errors apart. */
  latency(nowMs: number): Columns {
    const oldest = nowMs / 1000 - windowSeconds;
    this.#answers = this.#answers.filter(({ second }) => second >= oldest);
    return latencyColumns(this.#answers);
  }

  #bucket(second: number): Counts {
    return this.#seconds[second % this.#seconds.length]!;
  }

  #advance(second: number): void {
    const from = Math.max(this.#newest + 1, second - windowSeconds);
    for (let passed = from; passed <= second; passed++) Object.assign(this.#bucket(passed), { sent: 0, received: 0 });
    this.#newest = Math.max(this.#newest, second);
  }
}

// A contender in a process of its own: `node worker.mjs CONTENDER INPUT FRAMES CHUNKBYTES`.
// Each line on stdin is a number of operations to do; the answer is a line with the nanoseconds they
// took. One operation decodes all of the input, whose frames are notifications or one answer.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { contenders } from './contenders.mjs';

const [name, path, frames, chunkBytes] = process.argv.slice(2);
const input = readFileSync(path);
const chunks = [];
for (let at = 0; at < input.length; at += Number(chunkBytes)) chunks.push(input.subarray(at, at + Number(chunkBytes)));

const decode = await contenders[name](chunks, input.length);
for await (const line of createInterface({ input: process.stdin })) {
  const count = Number(line);
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) {
    const found = await decode();
    if (found !== Number(frames)) throw new Error(`${name} decoded ${found} messages, want ${frames}`);
  }
  process.stdout.write(`${process.hrtime.bigint() - start}\n`);
}

// A contender in a process of its own: `node worker.mjs CONTENDER`, of a decoder `… INPUT FRAMES CHUNKBYTES`.
// Each line on stdin is a number of operations to do; the answer is a line with the nanoseconds they
// took. One operation decodes all of the input, whose frames are notifications or one answer, or is a round trip.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { contenders } from './contenders.mjs';
import { echoers } from './echo.mjs';

const [name, ...input] = process.argv.slice(2);
const operation = await (name in echoers ? echoers[name]() : decoder(...input));
for await (const line of createInterface({ input: process.stdin })) {
  const count = Number(line);
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) await operation();
  process.stdout.write(`${process.hrtime.bigint() - start}\n`);
}

async function decoder(path, frames, chunkBytes) {
  const input = readFileSync(path);
  const chunks = [];
  for (let at = 0; at < input.length; at += Number(chunkBytes)) chunks.push(input.subarray(at, at + Number(chunkBytes)));
  const decode = await contenders[name](chunks, input.length, Number(frames));
  return async () => {
    const found = await decode();
    if (found !== Number(frames)) throw new Error(`${name} decoded ${found} messages, want ${frames}`);
  };
}

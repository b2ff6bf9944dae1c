// node command-main.js COMMAND.wasm    runs the command with this process's stdio

import { readFileSync } from 'node:fs';

import { runCommand } from './command.js';

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('usage: node command-main.js COMMAND.wasm\n');
  process.exitCode = 2;
} else {
  process.exitCode = runCommand(new WebAssembly.Module(readFileSync(file)));
}

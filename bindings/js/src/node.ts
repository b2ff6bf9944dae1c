// The entry for Node: parley.wasm is read from beside this file.

import { readFile } from 'node:fs/promises';

import type { Engine, EngineOptions } from './engine.js';
import { load, shared, type ModuleSource } from './load.js';

export * from './index.js';
export { ChildTransport, type ChildOptions } from './transports/child.js';

const asset = new URL('./parley.wasm', import.meta.url);
const process = shared(() => fromFile(asset));

/**
 * The engine. Without a source it is the one of this process, read from parley.wasm beside this
 * file; with an address (file: too), bytes, a response or a compiled module it is a new one of that.
 */
export async function init(source?: ModuleSource, options?: EngineOptions): Promise<Engine> {
  if (source === undefined) return options === undefined ? process() : fromFile(asset, options);
  if (source instanceof URL && source.protocol === 'file:') return fromFile(source, options);
  return load(source, options);
}

/** fetch reads no files. */
async function fromFile(file: URL, options?: EngineOptions): Promise<Engine> {
  return load(new Uint8Array(await readFile(file)), options);
}

// The entry for pages: parley.wasm is streamed from beside this file.

import type { Engine, EngineOptions } from './engine.js';
import { load, shared, type ModuleSource } from './load.js';

export * from './index.js';

const page = shared(() => load(new URL('./parley.wasm', import.meta.url)));

/**
 * The engine. Without a source it is the one of this page, streamed from parley.wasm beside this
 * file; with an address, bytes, a response or a compiled module it is a new one of that.
 */
export function init(source?: ModuleSource, options?: EngineOptions): Promise<Engine> {
  if (source !== undefined) return load(source, options);
  return options === undefined ? page() : load(new URL('./parley.wasm', import.meta.url), options);
}

// The entry that carries the module in itself, a third larger than the asset: for hosts that serve no
// second file. It needs no fetch.

import moduleBase64 from './parley.wasm.base64.js';

import type { Engine, EngineOptions } from './engine.js';
import { load, shared, type ModuleSource } from './load.js';

export * from './index.js';

const own = shared(() => load(moduleBytes()));

/** The engine. Without a source it is the one of this file's module; with one it is a new one of that. */
export function init(source?: ModuleSource, options?: EngineOptions): Promise<Engine> {
  if (source !== undefined) return load(source, options);
  return options === undefined ? own() : load(moduleBytes(), options);
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(moduleBase64), (character) => character.charCodeAt(0));
}

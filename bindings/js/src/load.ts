// Where the module comes from.

import { Engine, type EngineOptions } from './engine.js';

/** The module: an address, its bytes, or already compiled. */
export type ModuleSource = string | URL | Response | Uint8Array<ArrayBuffer> | ArrayBuffer | WebAssembly.Module;

/** Makes an engine of a source. */
export async function load(source: ModuleSource, options?: EngineOptions): Promise<Engine> {
  return Engine.create(await compile(source), options);
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return WebAssembly.compile(source);
  return compileResponse(source instanceof Response ? source : await fetch(source));
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`parley: ${response.url}: HTTP ${response.status}; serve parley.wasm there`);
  const type = response.headers.get('Content-Type') ?? '';
  // Streaming refuses any other type; a server that says octet-stream still serves the module.
  if (/^application\/wasm\s*(;|$)/i.test(type)) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** An engine that is made once, however often it is asked for; after a failure or a trap, anew. */
export function shared(make: () => Promise<Engine>): () => Promise<Engine> {
  let made: Promise<Engine> | undefined;
  return async () => {
    const known = made;
    const engine = await known?.catch(() => undefined);
    if (engine !== undefined && engine.trap === undefined) return engine;
    if (made === known) made = make();
    return made!;
  };
}

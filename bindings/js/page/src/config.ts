// What the bridge serves: GET /config.json.

import type { Bridge } from './access.js';

/** One server behind the bridge. */
export interface Server {
  name: string;
  profile: string;
  command: string[];
}

export interface Config {
  servers: Server[];
  /** The folder of --root; null: there is none, and the page has a scratch document. */
  root: { uri: string; name: string } | null;
  version: string;
  limits: Record<string, number>;
}

/** What a server is called: by its name, or where it was given none by its program. */
export function titleOf({ name, command }: Server): string {
  const program = command[0]?.split(/[\\/]/).at(-1);
  return name === 'default' && program ? program : name;
}

export async function readConfig(bridge: Bridge): Promise<Config> {
  return (await bridge.request('/config.json')).json() as Promise<Config>;
}

// What the bridge serves: GET /config.json.

import type { Bridge } from './access.js';

/** One server behind the bridge. */
export interface Server {
  name: string;
  /** What people call it. */
  title: string;
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

export async function readConfig(bridge: Bridge): Promise<Config> {
  return (await bridge.request('/config.json')).json() as Promise<Config>;
}

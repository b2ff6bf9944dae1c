// The configuration that a vector's opening lines describe.

import { LimitsAt } from '../../src/abi.gen.js';
import type { Config, Limits, Method } from '../../src/config.js';
import * as names from './names.js';
import { settings, time, type Vector } from './vector.js';

/** Credit granted at open, unless the vector says otherwise; messages. */
const creditDefault = 2 ** 31 - 1;

export interface Opening {
  config: Config;
  credit: number;
  cuts: 'all' | 'one-turn' | 'none';
}

type Setter = (opening: Opening, value: string) => void;

const setters: Record<string, Setter> = {
  profile: ({ config }, value) => void (config.profile = names.numberOf(names.profiles, value)),
  role: ({ config }, value) => void (config.role = names.numberOf(names.roles, value)),
  framing: ({ config }, value) => void (config.framing = names.numberOf(names.framings, value)),
  inbound: ({ config }, value) => void (config.inbound = names.numberOf(names.inbounds, value)),
  'send-policy': ({ config }, value) => void (config.sendPolicy = names.numberOf(names.sendPolicies, value)),
  'pause-on': ({ config }, value) => void (config.pauseOn = names.numberOf(names.pauses, value)),
  'out-fail-fast': ({ config }) => void (config.outFailFast = true),
  'park-fail': ({ config }) => void (config.parkFail = true),
  'loose-ids': ({ config }) => void (config.looseIDs = true),
  resync: ({ config }) => void (config.resync = true),
  seed: ({ config }, value) => void (config.seed = BigInt(value)),
  'first-id': ({ config }, value) => void (config.firstID = Number(value)),
  'session-id': ({ config }, value) => void (config.sessionID = value),
  grace: ({ config }, value) => void (config.graceNs = time(value)),
  shutdown: ({ config }, value) => void (config.shutdownNs = time(value)),
  stall: ({ config }, value) => void (config.stallNs = time(value)),
  'stall-max': ({ config }, value) => void (config.stallMaxNs = time(value)),
  credit: (opening, value) => void (opening.credit = Number(value)),
  cuts: (opening, value) => void (opening.cuts = value as Opening['cuts']),
};

for (const name of Object.keys(LimitsAt) as (keyof Limits)[]) {
  setters[names.hyphenated(name)] = ({ config }, value) => void ((config.limits ??= {})[name] = Number(value));
}

export function openingOf(vector: Vector): Opening {
  const opening: Opening = {
    config: { profile: 0, role: 0, seed: 1n, sessionID: 'session' },
    credit: creditDefault,
    cuts: 'all',
  };
  const methods: Method[] = [];
  for (const input of vector.opening) {
    if (input.verb === 'method') methods.push(methodOf(input.words, input.options));
    if (input.verb !== 'open') continue;
    for (const [name, value] of settings(input)) {
      const set = setters[name];
      if (set === undefined) throw new SyntaxError(`${vector.name}: unknown setting ${name}`);
      set(opening, value);
    }
  }
  opening.config.methods = methods;
  return opening;
}

function methodOf([name = '', mode = '']: string[], options: Map<string, string>): Method {
  const supersede = options.get('supersede');
  return {
    name,
    mode: names.numberOf(names.modes, mode),
    notification: options.has('notification'),
    supersede: supersede === undefined ? [] : supersede.split('/'),
  };
}

// What a machine is told when it is made.

import {
  BoundaryError,
  ConfigAt,
  ConfigBytes,
  ConfigLooseIDs,
  ConfigOutFailFast,
  ConfigParkFail,
  ConfigResync,
  LimitsAt,
  RefusalAt,
  type Framing,
  type Inbound,
  type Mode,
  type PauseOn,
  type Profile,
  type Role,
  type SendPolicy,
} from './abi.gen.js';
import { ConfigError, RefusedError } from './errors.js';
import type { Instance } from './instance.js';
import { bytesMaxOf, type Span } from './scratch.js';

/** Every limit of a machine, each a count or a number of bytes: docs/protocol.md says what each does. */
export type Limits = { -readonly [Name in keyof typeof LimitsAt]: number };

/** One entry of the method table (REQ-5). */
export interface Method {
  name: string;
  mode?: Mode;
  /** Only valid without an id; any other method is only valid with one (REQ-4). */
  notification?: boolean;
  /** Member names under params, at most four: a newer waiting request replaces an older one with the same value there (SCHED-8). */
  supersede?: readonly string[];
}

/** A configuration: what is left out is the default of its profile and role. Times are nanoseconds. */
export interface Config {
  profile: Profile;
  role: Role;
  framing?: Framing;
  inbound?: Inbound;
  sendPolicy?: SendPolicy;
  pauseOn?: PauseOn;
  /** A command that finds no room is refused as TooLarge instead of OutputFull (SEND-2). */
  outFailFast?: boolean;
  /** The string "7" answers the number 7 (CALL-2). */
  looseIDs?: boolean;
  /** Header framing searches for the next header after noise (HEAD-8). */
  resync?: boolean;
  /** The session ends at parkedBytesMax instead of pausing there (BACK-2). */
  parkFail?: boolean;
  sessionID?: string;
  /** Keys the id tables; random where it is left out. */
  seed?: bigint;
  /** The wire id of the first call, 1 to 2^53-1 (CALL-1). */
  firstID?: number;
  graceNs?: number;
  shutdownNs?: number;
  stallNs?: number;
  /** 0: a peer that does not read never ends the session. */
  stallMaxNs?: number;
  limits?: Partial<Limits>;
  methods?: readonly Method[];
}

const flags = [
  ['outFailFast', ConfigOutFailFast],
  ['looseIDs', ConfigLooseIDs],
  ['resync', ConfigResync],
  ['parkFail', ConfigParkFail],
] as const;
const bytes = ['profile', 'role', 'framing', 'inbound', 'sendPolicy', 'pauseOn'] as const;
const numbers = ['firstID', 'graceNs', 'shutdownNs', 'stallNs', 'stallMaxNs'] as const;

/** Makes a connection and returns its handle. A refused configuration is a ConfigError. */
export function open(instance: Instance, config: Config, memoryBytesMax: number): number {
  putMethods(instance, config.methods ?? []);
  const defaults = instance.run('defaults', config.profile, config.role);
  // A module of another minor version has a shorter or longer record: the longer one serves both.
  const size = Math.max(ConfigBytes, instance.memory.view.getUint32(defaults + ConfigAt.bytes, true));
  const record = instance.memory.slice(defaults, size);
  const scratch = instance.scratch(size + bytesMaxOf(config.sessionID));
  const address = scratch.records(size);
  const view = new DataView(record.buffer);
  view.setUint32(ConfigAt.bytes, size, true);
  encode(view, config, memoryBytesMax, scratch.put(config.sessionID));
  instance.memory.bytes.set(record, address);
  try {
    return instance.run('open', address, size);
  } catch (error) {
    throw refusal(instance, error);
  }
}

function encode(record: DataView, config: Config, memoryBytesMax: number, sessionID: Span): void {
  for (const name of bytes) {
    if (config[name] !== undefined) record.setUint8(ConfigAt[name], config[name]);
  }
  for (const name of numbers) {
    if (config[name] !== undefined) record.setFloat64(ConfigAt[name], config[name], true);
  }
  for (const [name, bit] of flags) {
    if (config[name]) record.setUint8(ConfigAt.flags, record.getUint8(ConfigAt.flags) | bit);
  }
  for (const [name, value] of Object.entries(config.limits ?? {})) {
    if (!(name in LimitsAt)) throw new ConfigError(`limits.${name}`, 'no such limit', value, 0, 0);
    record.setFloat64(ConfigAt.limits + LimitsAt[name as keyof Limits], value, true);
  }
  record.setFloat64(ConfigAt.memoryBytesMax, memoryBytesMax, true);
  record.setBigUint64(ConfigAt.seed, config.seed ?? crypto.getRandomValues(new BigUint64Array(1))[0]!, true);
  record.setUint32(ConfigAt.sessionID, sessionID.address, true);
  record.setUint32(ConfigAt.sessionID + 4, sessionID.bytes, true);
}

/** Fills the method table, which the next open takes. */
function putMethods(instance: Instance, methods: readonly Method[]): void {
  try {
    for (const method of methods) putMethod(instance, method);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    emptyTable(instance);
    throw new ConfigError('Methods', error.message, methods.length, 0, 0);
  }
}

function putMethod(instance: Instance, method: Method): void {
  const name = instance.scratch(bytesMaxOf(method.name)).put(method.name);
  instance.run('method', name.address, name.bytes, method.mode ?? 0, method.notification ? 1 : 0);
  for (const part of method.supersede ?? []) {
    const member = instance.scratch(bytesMaxOf(part)).put(part);
    instance.run('supersede', member.address, member.bytes);
  }
}

/** An open without a record is refused, and empties the table for whoever comes next. */
function emptyTable(instance: Instance): void {
  try {
    instance.run('open', 0, 0);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== BoundaryError.Record) throw error;
  }
}

/** Why an open was refused, as a ConfigError; any other error as it is. */
export function refusal(instance: Instance, error: unknown): unknown {
  if (!(error instanceof RefusedError)) return error;
  if (error.code !== BoundaryError.Config && error.code !== BoundaryError.Memory) return error;
  const address = instance.run('refusal');
  const view = instance.memory.view;
  const text = (at: number): string => {
    const start = view.getUint32(address + at, true);
    return new TextDecoder().decode(instance.memory.slice(start, view.getUint32(address + at + 4, true)));
  };
  const number = (at: number): number => view.getFloat64(address + at, true);
  return new ConfigError(
    text(RefusalAt.field),
    text(RefusalAt.reason),
    number(RefusalAt.value),
    number(RefusalAt.min),
    number(RefusalAt.max),
  );
}

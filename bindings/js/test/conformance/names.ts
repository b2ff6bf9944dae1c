// The names that vectors use for numbers of the ABI.

import { UsageError } from '../../src/abi.gen.js';

export const profiles = ['lsp', 'mcp', 'control', 'plain'];
export const roles = ['client', 'server', 'peer', 'relay'];
export const framings = ['header', 'line', 'length4', 'whole'];
export const inbounds = ['handlers', 'messages'];
export const sendPolicies = ['finish', 'end'];
export const pauses = ['answers', 'any'];
export const modes = ['default', 'read', 'order', 'write', 'background', 'bypass'];
export const classes = ['invalid', 'request', 'notification', 'result', 'error', 'batch'];
export const inputs = ['open', 'ended', 'broken'];
export const outputs = ['open', 'answering', 'finishing', 'done', 'failed'];
export const lifecycles = ['none', 'uninitialized', 'initializing', 'ready', 'shutdown', 'exited'];
export const timers = ['none', 'call', 'answers', 'stall', 'grace', 'progress', 'linger'];
export const hints = [
  '',
  'text-mode',
  'bare-json',
  'stdout-noise',
  'header',
  'pretty',
  'terminal',
  'text',
  'little',
  'dap',
  'charset',
  'over-limit',
];
/** The number of a name. */
export function numberOf<Number>(names: readonly string[], name: string): Number {
  const number = names.indexOf(name);
  if (number < 0 || name === '') throw new SyntaxError(`${JSON.stringify(name)}: want one of ${names.join(', ')}`);
  return number as Number;
}

/** idBytesMax is id-bytes-max. */
export const hyphenated = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The name of a refusal: IDTaken is id-taken. */
export function refusal(code: number): string {
  const [name = String(code)] = Object.entries(UsageError).find(([, number]) => number === code) ?? [];
  return name.replace(/([a-z])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$&-').toLowerCase();
}

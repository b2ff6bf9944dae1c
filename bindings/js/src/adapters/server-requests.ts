// Requests of a language server that its client library would refuse, though a plain answer serves.

import { Class, Code, UsageError } from '../abi.gen.js';
import { CallError, RPCError } from '../faults.js';
import { encode } from '../json.js';
import type { Envelope, Seam } from './seam.js';
import { written } from './written.js';

/** Answers with what it returns or resolves with, undefined being null; an RPCError is sent as it is, anything else as -32603. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is what the method's specification says
export type Answer = (params: any) => unknown;

/** Answers by method. undefined leaves a method to the library. */
export type Answers = Record<string, Answer | undefined>;

const nothing: Answer = () => null;

/** A client that has no settings, one folder, no progress bars and no dialogs, and lets nobody edit its files. */
export const defaultAnswers: Answers = {
  'workspace/configuration': ({ items }: { items: unknown[] }) => items.map(() => null),
  'workspace/workspaceFolders': nothing,
  'workspace/applyEdit': () => ({ applied: false, failureReason: 'this client applies no edits of the server' }),
  'client/registerCapability': nothing,
  'client/unregisterCapability': nothing,
  'window/workDoneProgress/create': nothing,
  'window/showMessageRequest': nothing,
};

/** Answers a request where answers has its method; whether it did. */
export function answered(message: Envelope, text: string, answers: Answers, seam: Seam): boolean {
  const answer = Object.hasOwn(answers, message.method) ? answers[message.method] : undefined;
  if (message.class !== Class.Request || answer === undefined) return false;
  void reply(message.id!, message.method, text, answer, seam);
  return true;
}

/** It never rejects. The id goes back byte for byte (MSG-4). */
async function reply(id: string, method: string, text: string, answer: Answer, seam: Seam): Promise<void> {
  const { params } = JSON.parse(text) as { params?: unknown };
  const outcome = await run(answer, params, (error) => seam.relay.report(error, `answer to "${method}"`));
  const [[member, body]] = Object.entries(outcome) as [[string, string]];
  try {
    await seam.send(written({ [member]: body }, `{"jsonrpc":"2.0","id":${id},"${member}":${body}}`, id));
  } catch (error) {
    const isLate = error instanceof CallError && error.code === UsageError.Closed;
    if (!isLate) seam.relay.report(error, `answer to "${method}"`);
  }
}

async function run(
  answer: Answer,
  params: unknown,
  report: (error: unknown) => void,
): Promise<{ result: string } | { error: string }> {
  try {
    return { result: encode((await answer(params)) ?? null)! };
  } catch (error) {
    if (error instanceof RPCError) return { error: encode({ code: error.code, message: error.text, data: error.data })! };
    report(error);
    return { error: encode({ code: Code.Internal, message: 'Internal error' })! };
  }
}

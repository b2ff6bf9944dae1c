// The details of the message that is selected, beside those of its answer or request.

import { element, emptyState } from '../dom.js';
import { complain, lineOf, tell } from '../frame/notices.js';
import { bytes, clock, milliseconds } from './format.js';
import type { TrafficLog } from './log.js';
import type { Message } from './message.js';
import { pretty } from './pretty.js';

const titles: Record<Message['kind'], string> = {
  request: 'Request',
  notification: 'Notification',
  result: 'Result',
  error: 'Error',
  batch: 'Batch',
  invalid: 'Not a message',
};

export class Detail {
  readonly dom = element('section', { id: 'detail', 'aria-label': 'Details of the message' });

  constructor(
    private readonly log: () => TrafficLog,
    private readonly jump: (ordinal: number) => void,
  ) {
    this.show(undefined);
  }

  show(message: Message | undefined): void {
    this.dom.replaceChildren();
    if (message === undefined) {
      this.dom.append(emptyState('No message selected', 'Select one to read it; a request is shown together with its answer.'));
      return;
    }
    const partner = message.partner === undefined ? undefined : this.log().at(message.partner);
    this.dom.append(this.#head(message), this.#part(message, true));
    if (partner !== undefined) this.dom.append(this.#part(partner, false));
    if (message.kind === 'request' && partner === undefined) {
      this.dom.append(element('p', { class: 'hint' }, 'No answer yet.'));
    }
  }

  #head({ method, id, latencyMs }: Message): HTMLElement {
    const facts = [id === '' ? '' : `id ${id}`, latencyMs === undefined ? '' : `answered in ${milliseconds(latencyMs)}`];
    return element(
      'header',
      {},
      element('h3', {}, method === '' ? 'Message' : method),
      element('span', {}, facts.filter(Boolean).join(' · ')),
    );
  }

  #part(message: Message, isSelected: boolean): HTMLElement {
    const { kind, direction, text, ordinal } = message;
    const way = direction === 'sent' ? '↑ to the server' : '↓ from the server';
    const actions = element('span', { class: 'actions' });
    if (!isSelected) actions.append(element('button', { class: 'quiet', click: () => this.jump(ordinal) }, 'Jump'));
    const title = element(
      'h4',
      { class: `${direction} ${kind}` },
      element('span', {}, titles[kind]),
      element('small', {}, `${way} · ${clock(message.atMs)} · ${bytes(message.sizeBytes)}`),
      actions,
    );
    if (text === undefined)
      return element('div', {}, title, element('p', { class: 'hint' }, 'Its text was let go to make room for newer ones.'));
    actions.append(element('button', { class: 'quiet', click: () => void copy(text) }, 'Copy'));
    const { lines, isCut } = pretty(text);
    const rest = isCut ? [element('p', { class: 'hint' }, 'Only the beginning is shown. Copy takes all of it.')] : [];
    return element('div', {}, title, lines, ...rest);
  }
}

/** A page has a clipboard where it came from a loopback name or over https, and where the person lets it. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell('Copied.');
  } catch (error) {
    complain(`The browser did not copy it: ${lineOf(error)}`);
  }
}

// What the server wrote to its stderr, as the bridge keeps it.

import type { Bridge } from '../access.js';
import { element, emptyState } from '../dom.js';
import { lineOf } from '../frame/notices.js';

/** A text that is fetched when it comes into sight, and again on demand. */
export class Output {
  readonly dom = element('div', { class: 'output' });
  #session: string | undefined;

  constructor(private readonly bridge: Bridge) {
    this.#say(emptyState('No session', 'What the server writes to its stderr appears here.'));
  }

  /** The session whose output it is. */
  set session(id: string) {
    this.#session = id === '' ? undefined : id; // a plain socket's has no name
  }

  async refresh(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    try {
      const text = await (await this.bridge.request(`/sessions/${encodeURIComponent(session)}/stderr`)).text();
      if (text === '') return this.#say(emptyState('Nothing yet', 'The server has written nothing to its stderr.'));
      const lines = element('pre', { tabindex: 0 }, text);
      this.#say(lines);
      lines.scrollTop = lines.scrollHeight;
    } catch (error) {
      this.#say(emptyState('The output cannot be read', lineOf(error)));
    }
  }

  #say(content: HTMLElement): void {
    this.dom.replaceChildren(element('button', { class: 'quiet refresh', click: () => void this.refresh() }, 'Refresh'), content);
  }
}

// How the session stands, in the bar: a word, and one thing that can be done.

import type { ResumingState } from '../../../src/browser.js';
import { byId, element } from '../dom.js';

/** What can be done, as the button says it. */
export interface Action {
  label: string;
  run(): void;
}

export class Pill {
  readonly #state = element('div', { class: 'state' });
  readonly #button = element('button', { hidden: true, click: () => this.#action?.run() });
  #action: Action | undefined;

  constructor() {
    byId('link').append(this.#state, this.#button);
  }

  /** The button stays the same element, so that it can be hit while words change. */
  show(phase: ResumingState['phase'], text: string, title: string, action?: Action): void {
    this.#state.className = `state ${phase}`;
    this.#state.title = title;
    this.#state.replaceChildren(element('span', {}, text));
    this.#action = action;
    this.#button.className = phase === 'open' || phase === 'connecting' ? 'quiet' : 'primary';
    this.#button.textContent = action?.label ?? '';
    this.#button.hidden = action === undefined;
  }

  /** Enter does it, unless the keys are in use elsewhere. */
  offer(): void {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) this.#button.focus();
  }
}

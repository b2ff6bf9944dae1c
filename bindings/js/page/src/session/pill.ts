// How the session stands, in the bar: a word, and one thing that can be done.

import type { ResumingState } from '../../../src/browser.js';
import { byId, element } from '../dom.js';

export class Pill {
  readonly #state = element('div', { class: 'state' });
  readonly #button = element('button', { hidden: true });

  constructor(onAct: () => void) {
    this.#button.addEventListener('click', onAct);
    byId('link').append(this.#state, this.#button);
  }

  /** action: the label of the button; '' for none. It stays the same element, so that it can be hit while words change. */
  show(phase: ResumingState['phase'], text: string, title: string, action = ''): void {
    this.#state.className = `state ${phase}`;
    this.#state.title = title;
    this.#state.replaceChildren(element('span', {}, text));
    this.#button.className = phase === 'open' || phase === 'connecting' ? 'quiet' : 'primary';
    this.#button.textContent = action;
    this.#button.hidden = action === '';
  }
}

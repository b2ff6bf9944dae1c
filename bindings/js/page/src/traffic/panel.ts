// The traffic panel: charts, counters, filter, list and details of one log.

import type { Stats } from '../../../src/browser.js';
import { byId, element, emptyState, onceAFrame } from '../dom.js';
import { charts } from './charts.js';
import { counters } from './counters.js';
import { Detail } from './detail.js';
import { filterHelp, parseFilter } from './filter.js';
import { count } from './format.js';
import { MessageList } from './list.js';
import { TrafficLog } from './log.js';
import type { Passing } from './message.js';
import { Rates } from './rates.js';

/** The panel. What passes is recorded from the first message on, whether the panel is in sight or not. */
export class TrafficPanel {
  readonly #log = new TrafficLog();
  readonly #rates = new Rates();
  readonly #detail = new Detail(this.#log, (ordinal) => this.#list.select(ordinal));
  readonly #list = new MessageList(this.#log, (message) => this.#detail.show(message));
  readonly #total = element('span', { class: 'total' });
  readonly #empty = element('div', { class: 'cover' });
  readonly #update = onceAFrame(() => this.#show());
  readonly #input = element('input', {
    type: 'search',
    placeholder: 'Filter: hover, kind:request, dir:received, >50ms, error …',
    title: filterHelp,
    'aria-label': `Filter the messages. ${filterHelp}`,
    spellcheck: 'false',
    input: () => this.#filterChanged(),
  });

  /** read: what the session's machine counts; undefined while there is none. */
  constructor(read: () => Stats | undefined) {
    const clear = element('button', { class: 'quiet', click: () => this.#clear() }, 'Clear');
    byId('traffic').append(
      element('h2', {}, 'Traffic', this.#total, element('span', { class: 'stretch' }), clear),
      charts(this.#rates),
      counters(read),
      element('div', { class: 'filter' }, this.#input),
      element('div', { class: 'list' }, this.#list.dom, this.#empty),
      element('div', {
        class: 'splitter',
        role: 'separator',
        'aria-controls': 'detail',
        'aria-label': 'Height of the details',
        'aria-orientation': 'horizontal',
      }),
      this.#detail.dom,
    );
    this.#list.dom.addEventListener('keydown', (event) => {
      if (event.key !== '/') return;
      event.preventDefault();
      this.#input.focus();
    });
    this.#show();
  }

  record(passing: Passing): void {
    const message = this.#log.add(passing, performance.now());
    this.#rates.add(message);
    const { partner } = message;
    if (partner !== undefined && partner === this.#list.selected) this.#detail.show(this.#log.at(partner)); // its answer is here
    this.#update();
  }

  endSession(): void {
    this.#log.endSession();
  }

  #filterChanged(): void {
    this.#list.filter = parseFilter(this.#input.value);
    this.#show();
  }

  #clear(): void {
    this.#log.clear();
    this.#list.select(undefined);
    this.#show();
  }

  #show(): void {
    const { first, end } = this.#log;
    const shown = this.#list.size;
    const of = first === 0 ? count(end) : `${count(end - first)}, ${count(first)} older ones let go`;
    this.#total.textContent = shown === end - first ? of : `${count(shown)} of ${of}`;
    this.#empty.replaceChildren(...this.#whyEmpty(shown));
    this.#empty.hidden = shown > 0;
    this.#list.update();
  }

  #whyEmpty(shown: number): HTMLElement[] {
    if (shown > 0) return [];
    if (this.#log.end === this.#log.first)
      return [emptyState('No messages yet', 'Every message between the editor and the server appears here.')];
    return [emptyState('No message passes the filter', filterHelp)];
  }
}

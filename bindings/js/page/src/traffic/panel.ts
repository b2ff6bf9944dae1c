// The traffic panel: charts, counters, filter, list and details of the session, or of a capture.

import type { Engine, Stats } from '../../../src/browser.js';
import { byId, element, emptyState, onceAFrame } from '../dom.js';
import { CaptureOpener, type OpenCapture } from './capture.js';
import { charts } from './charts.js';
import { counters } from './counters.js';
import { Detail } from './detail.js';
import { filterHelp, parseFilter } from './filter.js';
import { count } from './format.js';
import { MessageList } from './list.js';
import { TrafficLog } from './log.js';
import type { Message, Passing } from './message.js';
import { Rates } from './rates.js';

/** The panel. What passes is recorded from the first message on, whether the panel is in sight or not. */
export class TrafficPanel {
  readonly #live = new TrafficLog();
  #log = this.#live; // the one that is shown
  readonly #rates = new Rates();
  readonly #detail = new Detail(
    () => this.#log,
    (ordinal) => this.#list.select(ordinal),
  );
  readonly #list = new MessageList(
    () => this.#log,
    (message) => this.#detail.show(message),
  );
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

  readonly #overview = element('div', { class: 'overview' });
  readonly #liveOverview: HTMLElement[];
  readonly #clearButton = element('button', { class: 'quiet', click: () => this.#clear() }, 'Clear');
  readonly #backButton = element('button', { class: 'back', click: () => this.#back() }, 'Back to the session');
  readonly #opener: CaptureOpener;

  /** read: what the session's machine counts; undefined while there is none. engine: for captures. */
  constructor(read: () => Stats | undefined, engine: () => Promise<Engine>) {
    const place = byId('traffic');
    this.#liveOverview = [charts(this.#rates), counters(read)];
    this.#opener = new CaptureOpener(place, engine, (capture) => this.#open(capture));
    this.#overview.append(...this.#liveOverview);
    this.#backButton.hidden = true;
    place.append(
      element(
        'h2',
        {},
        'Traffic',
        this.#total,
        element('span', { class: 'stretch' }),
        this.#backButton,
        this.#opener.button,
        this.#clearButton,
      ),
      this.#overview,
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
    const { ordinal } = this.#live.add(passing, performance.now());
    for (let n = ordinal; n < this.#live.end; n++) this.#added(this.#live.at(n)!);
    if (this.#log === this.#live) this.#update();
  }

  #added(message: Message): void {
    this.#rates.add(message);
    if (this.#log !== this.#live) return;
    const { partner } = message;
    if (partner !== undefined && partner === this.#list.selected) this.#detail.show(this.#log.at(partner)); // its answer is here
  }

  endSession(): void {
    this.#live.endSession();
  }

  #open({ log, dom }: OpenCapture): void {
    this.#turnTo(log, [dom]);
    this.#list.select(log.first);
    this.#list.dom.focus();
  }

  #back(): void {
    this.#turnTo(this.#live, this.#liveOverview);
    this.#opener.button.focus();
  }

  /** A capture is shown in the place of the session, which goes on. */
  #turnTo(log: TrafficLog, overview: HTMLElement[]): void {
    this.#log = log;
    this.#overview.replaceChildren(...overview);
    this.#backButton.hidden = log === this.#live;
    this.#clearButton.hidden = log !== this.#live;
    this.#list.select(undefined);
    this.#filterChanged();
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
    if (this.#log.end > this.#log.first) return [emptyState('No message passes the filter', filterHelp)];
    if (this.#log !== this.#live) return [emptyState('No message in this capture')];
    return [emptyState('No messages yet', 'Every message between the editor and the server appears here.')];
  }
}

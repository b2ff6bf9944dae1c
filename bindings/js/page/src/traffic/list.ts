// The list of messages. Only the rows in sight exist, so that 100,000 messages scroll as ten do.

import { element, onceAFrame } from '../dom.js';
import type { Filter } from './filter.js';
import { bytes, clock, milliseconds } from './format.js';
import type { TrafficLog } from './log.js';
import { isAnswer, type Kind, type Message } from './message.js';

const rowPx = 24; // --row of the style sheet
const slowMs = 500;
const kinds: Record<Kind, string> = {
  request: 'req',
  notification: 'ntf',
  result: 'res',
  error: 'err',
  batch: 'bat',
  invalid: 'bad',
};

/** Shows what of a log passes a filter, follows the newest while its end is in sight, and has one row selected. */
export class MessageList {
  readonly dom: HTMLElement;
  readonly #canvas = element('div', { class: 'canvas' });
  readonly #rows: HTMLElement[] = [];
  readonly #draw = onceAFrame(() => this.#render());
  #filter: Filter = () => true;
  #shown: number[] = []; // ordinals that pass, ascending
  #scanned = 0; // every ordinal below has been filtered
  #selected: number | undefined;
  #isFollowing = true;

  constructor(
    private readonly log: () => TrafficLog,
    private readonly onSelect: (message: Message | undefined) => void,
  ) {
    this.dom = element('div', { class: 'messages', tabindex: 0, role: 'listbox', 'aria-label': 'Messages' }, this.#canvas);
    this.dom.addEventListener('scroll', () => this.#scrolled());
    this.dom.addEventListener('keydown', (event) => this.#key(event));
    this.dom.addEventListener('click', (event) => this.#click(event));
    new ResizeObserver(() => this.#draw()).observe(this.dom);
  }

  /** The log has changed. */
  update(): void {
    this.#draw();
  }

  get selected(): number | undefined {
    return this.#selected;
  }

  /** How many messages pass the filter. */
  get size(): number {
    this.#scan();
    return this.#shown.length;
  }

  set filter(filter: Filter) {
    this.#filter = filter;
    this.#shown = [];
    this.#scanned = 0;
    this.#isFollowing = true;
    this.#draw();
  }

  /** Selects a message, also one that the filter hides, and shows its row where it has one. */
  select(ordinal: number | undefined): void {
    this.#selected = ordinal;
    this.onSelect(ordinal === undefined ? undefined : this.log().at(ordinal));
    const index = this.#indexOf(ordinal);
    if (index >= 0) this.#reveal(index);
    this.#draw();
  }

  #scan(): void {
    const { first, end } = this.log();
    const gone = this.#shown.findIndex((ordinal) => ordinal >= first);
    const dropped = gone < 0 ? this.#shown.length : gone;
    if (dropped > 0) {
      this.#shown.splice(0, dropped);
      if (!this.#isFollowing) this.dom.scrollTop -= dropped * rowPx; // the rows in sight stay where they are
    }
    for (let ordinal = Math.max(first, this.#scanned); ordinal < end; ordinal++) {
      if (this.#filter(this.log().at(ordinal)!)) this.#shown.push(ordinal);
    }
    this.#scanned = end;
  }

  #render(): void {
    this.#scan();
    this.#canvas.style.height = `${this.#shown.length * rowPx}px`;
    if (this.#isFollowing) this.dom.scrollTop = this.dom.scrollHeight;
    const first = Math.floor(this.dom.scrollTop / rowPx);
    const count = Math.min(this.#shown.length - first, Math.ceil(this.dom.clientHeight / rowPx) + 1);
    while (this.#rows.length < count) this.#rows.push(this.#canvas.appendChild(newRow()));
    for (const [i, row] of this.#rows.entries()) {
      row.hidden = i >= count;
      if (row.hidden) continue;
      row.style.transform = `translateY(${(first + i) * rowPx}px)`;
      fillRow(row, this.log().at(this.#shown[first + i]!)!, this.#selected, this.#partner);
    }
    const active = this.#rows.find((row) => !row.hidden && row.ariaSelected === 'true');
    if (active === undefined) this.dom.removeAttribute('aria-activedescendant');
    else this.dom.setAttribute('aria-activedescendant', active.id);
  }

  get #partner(): number | undefined {
    return this.#selected === undefined ? undefined : this.log().at(this.#selected)?.partner;
  }

  #scrolled(): void {
    const fromEndPx = this.dom.scrollHeight - this.dom.clientHeight - this.dom.scrollTop;
    this.#isFollowing = fromEndPx < rowPx;
    this.#draw();
  }

  #reveal(index: number): void {
    const topPx = index * rowPx;
    this.#isFollowing = index === this.#shown.length - 1;
    if (topPx < this.dom.scrollTop) this.dom.scrollTop = topPx;
    else if (topPx + rowPx > this.dom.scrollTop + this.dom.clientHeight)
      this.dom.scrollTop = topPx + rowPx - this.dom.clientHeight;
  }

  #indexOf(ordinal: number | undefined): number {
    return ordinal === undefined ? -1 : this.#shown.indexOf(ordinal);
  }

  #key(event: KeyboardEvent): void {
    const last = this.#shown.length - 1;
    const at = this.#indexOf(this.#selected);
    const page = Math.max(1, Math.floor(this.dom.clientHeight / rowPx) - 1);
    const targets: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? last : at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: last,
    };
    if (event.key === 'j') this.#selectPartner();
    else if (event.key === 'Escape') this.select(undefined);
    else if (!(event.key in targets) || event.ctrlKey || event.metaKey) return;
    else if (last >= 0) this.select(this.#shown[Math.min(last, Math.max(0, targets[event.key]!))]);
    event.preventDefault();
  }

  #selectPartner(): void {
    if (this.#partner !== undefined) this.select(this.#partner);
  }

  #click(event: MouseEvent): void {
    const row = (event.target as Element).closest<HTMLElement>('.message');
    if (row !== null) this.select(Number(row.dataset.ordinal));
  }
}

let rows = 0;

function newRow(): HTMLElement {
  const cells = ['at', 'way', 'kind', 'method', 'id', 'size', 'latency'].map((name) => element('span', { class: name }));
  return element('div', { class: 'message', role: 'option', id: `message-row-${rows++}` }, ...cells);
}

function fillRow(row: HTMLElement, message: Message, selected: number | undefined, partner: number | undefined): void {
  const { ordinal, direction, kind, latencyMs, inBatch } = message;
  row.dataset.ordinal = String(ordinal);
  row.className = `message ${direction} ${kind}`;
  row.classList.toggle('member', inBatch);
  row.classList.toggle('partner', ordinal === partner);
  row.classList.toggle('slow', latencyMs !== undefined && latencyMs > slowMs);
  row.ariaSelected = String(ordinal === selected);
  const texts = [
    clock(message.atMs),
    direction === 'sent' ? '↑' : '↓',
    kinds[kind],
    message.method === '' && isAnswer(message) ? '(answer without a request)' : message.method,
    message.id,
    bytes(message.sizeBytes),
    latencyMs === undefined ? (kind === 'request' ? '…' : '') : milliseconds(latencyMs),
  ];
  for (const [i, text] of texts.entries()) {
    const cell = row.children[i]!;
    if (cell.textContent !== text) cell.textContent = text;
  }
}

// A capture in the panel: the messages of a file, read once and never changed.

import type { Engine } from '../../../src/browser.js';
import { captureBytesMax, readCapture, type CaptureSummary } from '../capture/read.js';
import { CaptureError } from '../capture/records.js';
import { element } from '../dom.js';
import { complain, lineOf } from '../frame/notices.js';
import { Timeline } from './charts.js';
import { bytes, milliseconds } from './format.js';
import { TrafficLog } from './log.js';
import { answerOf, latencyColumns } from './rates.js';

/** A capture that is open. */
export interface OpenCapture {
  log: TrafficLog;
  /** What stands above its messages: where they are from, what is missing, their latency. */
  dom: HTMLElement;
}

/** Opens files: through a button, and dropped on a place. One at a time; a later one overtakes those before it. */
export class CaptureOpener {
  readonly button: HTMLElement;
  #begun = 0;

  /** engine: one of its own, so that a file which breaks it breaks no session. */
  constructor(
    place: HTMLElement,
    private readonly engine: () => Promise<Engine>,
    private readonly opened: (capture: OpenCapture) => void,
  ) {
    const picker = element('input', {
      type: 'file',
      hidden: true,
      'aria-label': 'Capture file',
      change: () => this.#pick(picker),
    });
    const title = 'Show the messages of a capture: .cap of parley tap --record, or .jsonl of parley convert. Or drop it here.';
    this.button = element('button', { class: 'quiet', title, click: () => picker.click() }, 'Open capture…');
    place.append(picker);
    acceptDrops(place, (files) => this.#take(files));
  }

  #pick(picker: HTMLInputElement): void {
    this.#take([...picker.files!]);
    picker.value = ''; // the same file can be chosen again
  }

  #take(files: File[]): void {
    const [file] = files;
    if (files.length > 1) complain('One capture at a time, please.');
    else if (file !== undefined) void this.#open(file);
  }

  async #open(file: File): Promise<void> {
    const mine = ++this.#begun;
    this.button.textContent = 'Reading…';
    try {
      const capture = await read(file, await this.engine());
      if (mine === this.#begun) this.opened(capture);
    } catch (error) {
      complain(`${file.name} cannot be opened: ${lineOf(error)}`);
    } finally {
      if (mine === this.#begun) this.button.textContent = 'Open capture…';
    }
  }
}

function acceptDrops(place: HTMLElement, take: (files: File[]) => void): void {
  const isOver = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  place.addEventListener('dragover', (event) => {
    if (!isOver(event)) return;
    event.preventDefault();
    place.classList.add('dropping');
  });
  place.addEventListener('dragleave', (event) => {
    if (!place.contains(event.relatedTarget as Node | null)) place.classList.remove('dropping');
  });
  place.addEventListener('drop', (event) => {
    if (!isOver(event)) return;
    event.preventDefault();
    place.classList.remove('dropping');
    take([...event.dataTransfer!.files]);
  });
}

async function read(file: File, engine: Engine): Promise<OpenCapture> {
  if (file.size > captureBytesMax) {
    throw new CaptureError(
      `it has ${bytes(file.size)}, and ${bytes(captureBytesMax)} are the most; parley filter makes it smaller`,
    );
  }
  const log = new TrafficLog();
  const summary = await readCapture(new Uint8Array(await file.arrayBuffer()), engine, {
    message: (passing, atMs) => log.add(passing, atMs),
    session: () => log.endSession(),
  });
  const timeline = new Timeline();
  const messages = Array.from({ length: log.end - log.first }, (_, i) => log.at(log.first + i)!);
  timeline.show(latencyColumns(messages.map(answerOf).filter((answer) => answer !== undefined)), summary.endMs);
  return {
    log,
    dom: element('div', { class: 'capture' }, about(file.name, summary), element('div', { class: 'charts' }, timeline.dom)),
  };
}

function about(name: string, { started, command, endMs, flaws }: CaptureSummary): HTMLElement {
  const facts = [started.replace('T', ' ').replace(/(:\d\d)\.\d*/, '$1'), milliseconds(endMs), command]
    .filter(Boolean)
    .join(' · ');
  return element(
    'div',
    { class: 'about', role: 'status' },
    element('strong', {}, name),
    element('span', { title: facts }, facts),
    ...flaws.map((flaw) => element('p', { class: 'flaw' }, flaw)),
  );
}

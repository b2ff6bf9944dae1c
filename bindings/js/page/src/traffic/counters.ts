// The counters of the machine that carries the session.

import type { Stats } from '../../../src/browser.js';
import { element } from '../dom.js';
import { bytes, count, milliseconds } from './format.js';

const redrawMs = 500;

const rows: [name: string, title: string, show: (stats: Stats) => string][] = [
  ['received', 'Messages that the machine took from the server', (stats) => count(stats.framesIn)],
  ['bytes in', 'Their size', (stats) => bytes(stats.bytesIn)],
  ['sent', 'Messages that the machine wrote to the server', (stats) => count(stats.framesOut)],
  ['bytes out', 'Their size', (stats) => bytes(stats.bytesOut)],
  ['invalid', 'What came and was no message', (stats) => count(stats.invalid)],
  ['queue max', 'The most that ever waited to be written', (stats) => bytes(stats.outBytesMax)],
  ['paused', 'How long reading was paused, in all', (stats) => milliseconds(stats.pausedNs / 1e6)],
];

/** Figures that have their place from the start and fill themselves while they are in sight. */
export function counters(read: () => Stats | undefined): HTMLElement {
  const dom = element('dl', { class: 'counters', 'aria-label': 'Counters of the machine' });
  const figures = rows.map(([name, title]) => {
    const figure = element('dd', {}, '–');
    dom.append(element('div', { title }, element('dt', {}, name), figure));
    return figure;
  });
  const draw = (): void => {
    if (document.hidden || dom.offsetParent === null) return;
    const stats = read();
    for (const [i, [, , show]] of rows.entries()) figures[i]!.textContent = stats === undefined ? '–' : show(stats);
  };
  setInterval(draw, redrawMs);
  return dom;
}

// Latency and throughput: of the last minute, and of a whole capture.

import uPlot, { type Axis, type Options, type Scale, type Series } from 'uplot';

import { element } from '../dom.js';
import { colour, isDark } from '../frame/theme.js';
import { milliseconds } from './format.js';
import type { Columns, Rates } from './rates.js';

const heightPx = 96;
const redrawMs = 500;
const windowSeconds = 60;
const decades = [0.1, 1, 10, 100, 1000, 10_000, 100_000]; // milliseconds

/** The two charts, side by side. They draw themselves while they are in sight. */
export function charts(rates: Rates): HTMLElement {
  const latency = chart(
    'Latency of answers',
    answerLegend,
    () => latencyOptions(lastMinute),
    (nowMs) => rates.latency(nowMs),
  );
  const throughput = chart(
    'Messages a second',
    [
      ['sent', 'sent'],
      ['received', 'received'],
    ],
    throughputOptions,
    (nowMs) => rates.throughput(nowMs),
  );
  const dom = element('div', { class: 'charts' }, latency.dom, throughput.dom);
  const draw = (): void => {
    if (document.hidden || dom.offsetParent === null) return;
    latency.draw();
    throughput.draw();
  };
  setInterval(draw, redrawMs);
  return dom;
}

/** The latency of every answer in a capture. */
export class Timeline {
  #columns: Columns = [[], [], []];
  #endSeconds = 1;
  readonly #chart: Chart;

  constructor() {
    const whole: Span = { range: () => [0, this.#endSeconds], axis: { values: (_, at) => at.map((second) => `${second} s`) } };
    this.#chart = chart(
      'Latency of answers',
      answerLegend,
      () => latencyOptions(whole),
      () => this.#columns,
    );
  }

  get dom(): HTMLElement {
    return this.#chart.dom;
  }

  show(columns: Columns, endMs: number): void {
    this.#columns = columns;
    this.#endSeconds = Math.max(endMs / 1000, 0.001);
    this.#chart.draw();
  }
}

/** What its colours stand for: a word, and the colour's name. */
type Legend = [text: string, name: string][];

const answerLegend: Legend = [
  ['result', 'received'],
  ['error', 'error'],
];

/** The time that a chart covers, in seconds, and how its axis says it. */
interface Span {
  range: () => [from: number, to: number];
  axis: Axis;
}

const nowSeconds = (): number => performance.now() / 1000;

const lastMinute: Span = {
  range: () => [nowSeconds() - windowSeconds, nowSeconds()],
  axis: {
    values: (_, at) => at.map((second) => `${Math.round(second - nowSeconds())} s`),
    splits: () => [-45, -30, -15].map((second) => nowSeconds() + second),
  },
};

interface Chart {
  dom: HTMLElement;
  draw: () => void;
}

function chart(title: string, legend: Legend, options: () => Partial<Options>, read: (nowMs: number) => Columns): Chart {
  const place = element('div', { class: 'plot' });
  const keys = legend.map(([text, name]) => element('span', { class: `key ${name}` }, text));
  const dom = element('figure', {}, element('figcaption', {}, title, ...keys), place);
  let plot: uPlot | undefined;

  const make = (): void => {
    plot?.destroy();
    plot = undefined;
    if (place.clientWidth === 0) return;
    plot = new uPlot(
      { ...frame, width: place.clientWidth, height: heightPx, ...options() } as Options,
      read(performance.now()),
      place,
    );
  };
  const draw = (): void => plot?.setData(read(performance.now()));
  new ResizeObserver(() => {
    if (plot === undefined || place.clientWidth === 0) make();
    else plot.setSize({ width: place.clientWidth, height: heightPx });
  }).observe(place);
  isDark.follow(make); // a canvas has no style sheet
  return { dom, draw };
}

const frame: Partial<Options> = { cursor: { show: false }, legend: { show: false }, padding: [6, 14, 0, 0] };

const timeScale = ({ range }: Span): Scale => ({ time: false, range });

function axes(span: Span, yLabels: (values: number[]) => string[], ySplits?: number[]): Axis[] {
  const stroke = colour('--muted');
  const grid = { stroke: colour('--line'), width: 1 };
  const font = '10px system-ui, sans-serif';
  return [
    {
      stroke,
      grid: { show: false },
      ticks: { show: false },
      font,
      size: 18,
      ...span.axis,
    },
    {
      stroke,
      grid,
      ticks: { show: false },
      font,
      size: 46,
      gap: 2,
      filter: (_, at) => at,
      values: (_, at) => yLabels(at),
      ...(ySplits !== undefined && {
        splits: (plot: uPlot) => ySplits.filter((y) => y >= plot.scales.y!.min! && y <= plot.scales.y!.max!),
      }),
    },
  ];
}

function latencyOptions(span: Span): Partial<Options> {
  const points = (name: string): Series => ({
    stroke: colour(name),
    paths: () => null,
    points: { show: true, size: 5, fill: colour(name), width: 0 },
  });
  const range = (_: uPlot, min: number | null, max: number | null): [number, number] => [
    decades.findLast((decade) => decade <= (min ?? 1)) ?? 0.1,
    decades.find((decade) => decade >= Math.max(max ?? 0, 100)) ?? 100_000,
  ];
  return {
    scales: { x: timeScale(span), y: { distr: 3, range } },
    axes: axes(span, (values) => values.map((ms) => milliseconds(ms).replace('.0 ', ' ')), decades),
    series: [{}, points('--received'), points('--error')],
  };
}

function throughputOptions(): Partial<Options> {
  const step = (name: string): Series => ({
    stroke: colour(name),
    width: 1.5,
    paths: uPlot.paths.stepped!({ align: 1 }),
    points: { show: false },
  });
  return {
    scales: { x: timeScale(lastMinute), y: { range: (_, __, max) => [0, Math.max(4, (max ?? 0) * 1.1)] } },
    axes: axes(lastMinute, (values) => values.map((value) => (Number.isInteger(value) ? String(value) : ''))),
    series: [{}, step('--sent'), step('--received')],
  };
}

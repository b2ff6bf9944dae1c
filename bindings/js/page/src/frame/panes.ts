// The panes around the editor: their splitters, which pointer and keys move, and who is shown.

import { byId } from '../dom.js';

const storedAs = 'parley.panes';
const stepPx = 16;
const oneColumn = '(max-width: 700px)'; // as frame.css has it
const besideMinPx = 320; // of the window, for everything else

interface Bounds {
  minPx: number;
  defaultPx: number;
}

/** Where the focus goes in a pane, the best first. */
const focusTargets = ['.cm-editor:not([hidden]) .cm-content', '.messages', '[tabindex="0"]', 'button'];

/** Sizes are custom properties of the root element, named as the pane, in px. */
const bounds: Record<string, Bounds> = {
  files: { minPx: 120, defaultPx: Math.min(220, innerWidth * 0.18) },
  foot: { minPx: 64, defaultPx: Math.min(168, innerHeight * 0.22) },
  traffic: { minPx: 320, defaultPx: Math.min(560, innerWidth * 0.42) },
  detail: { minPx: 96, defaultPx: Math.min(260, innerHeight * 0.32) },
};

/** Gives every splitter its keys and its pointer, and every pane the size it had. */
export function startPanes(): void {
  const stored = readStored();
  for (const splitter of document.querySelectorAll<HTMLElement>('.splitter')) {
    startSplitter(splitter, stored[splitter.getAttribute('aria-controls')!]);
  }
  startToggle('toggle-files', 'files', true);
  startToggle('toggle-traffic', 'traffic', !matchMedia(oneColumn).matches);
}

/** Moves the focus to the next pane that is shown, or to the one before. */
export function focusPane(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.offsetParent !== null);
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + step + panes.length) % panes.length];
  for (const target of focusTargets) {
    const found = next?.querySelector<HTMLElement>(target);
    if (found) return found.focus();
  }
}

function startSplitter(splitter: HTMLElement, storedPx: number | undefined): void {
  const pane = splitter.getAttribute('aria-controls')!;
  const { minPx, defaultPx } = bounds[pane]!;
  const isHorizontal = splitter.getAttribute('aria-orientation') === 'horizontal';
  const grows = pane === 'files' ? 1 : -1; // the pane lies before the splitter, or behind it
  let sizePx = storedPx ?? defaultPx;

  const resize = (wantedPx: number): void => {
    const maxPx = Math.max(minPx, (isHorizontal ? innerHeight : innerWidth) - besideMinPx);
    sizePx = Math.round(Math.min(maxPx, Math.max(minPx, wantedPx)));
    document.documentElement.style.setProperty(`--${pane}`, `${sizePx}px`);
    splitter.setAttribute('aria-valuenow', String(sizePx));
    splitter.setAttribute('aria-valuemin', String(minPx));
    splitter.setAttribute('aria-valuemax', String(maxPx));
  };
  const settle = (): void => localStorage.setItem(storedAs, JSON.stringify({ ...readStored(), [pane]: sizePx }));

  splitter.tabIndex = 0;
  splitter.title = 'Drag, or use the arrow keys; Enter restores';
  if (!isHorizontal) splitter.setAttribute('aria-orientation', 'vertical');
  resize(sizePx);
  splitter.addEventListener('dblclick', () => {
    resize(defaultPx);
    settle();
  });
  splitter.addEventListener('keydown', (event) => {
    const steps: Record<string, number> = isHorizontal ? { ArrowUp: -1, ArrowDown: 1 } : { ArrowLeft: -1, ArrowRight: 1 };
    const step = steps[event.key];
    if (step !== undefined) resize(sizePx + step * grows * stepPx);
    else if (event.key === 'Home') resize(0);
    else if (event.key === 'End') resize(Infinity);
    else if (event.key === 'Enter') resize(defaultPx);
    else return;
    event.preventDefault();
    settle();
  });
  splitter.addEventListener('pointerdown', (down) => {
    const place = (event: PointerEvent): number => (isHorizontal ? event.clientY : event.clientX);
    const fromPx = sizePx;
    const move = (event: PointerEvent): void => resize(fromPx + (place(event) - place(down)) * grows);
    down.preventDefault();
    splitter.setPointerCapture(down.pointerId);
    splitter.addEventListener('pointermove', move);
    const release = (): void => {
      splitter.removeEventListener('pointermove', move);
      settle();
    };
    splitter.addEventListener('lostpointercapture', release, { once: true });
  });
}

function startToggle(buttonId: string, pane: string, isShownFirst: boolean): void {
  const button = byId(buttonId);
  const show = (isShown: boolean): void => {
    document.body.classList.toggle(`no-${pane}`, !isShown);
    button.setAttribute('aria-pressed', String(isShown));
  };
  button.addEventListener('click', () => show(document.body.classList.contains(`no-${pane}`)));
  show(isShownFirst);
}

function readStored(): Record<string, number> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storedAs) ?? '{}');
    return Object.fromEntries(Object.entries(value ?? {}).filter(([, size]) => Number.isFinite(size)));
  } catch {
    return {}; // written by hand or by another version: the defaults will do
  }
}

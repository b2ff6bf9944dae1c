// The list of problems. One that is chosen is shown in its file.

import { element, emptyState } from '../dom.js';
import type { Problem, Problems } from './problems.js';

const shownMax = 1000;

export function problemList(
  problems: Problems,
  pathOf: (uri: string) => string,
  onChoose: (problem: Problem) => void,
): HTMLElement {
  const dom = element('div', { class: 'problems' });
  problems.all.follow((all) => {
    if (all.length === 0)
      return dom.replaceChildren(emptyState('No problems', 'What the server finds in the files appears here.'));
    const rows = all.slice(0, shownMax).map((problem) => row(problem, pathOf(problem.uri), () => onChoose(problem)));
    if (all.length > shownMax) rows.push(element('p', { class: 'hint' }, `and ${all.length - shownMax} more`));
    dom.replaceChildren(...rows);
  });
  return dom;
}

function row({ severity, message, source, start }: Problem, path: string, choose: () => void): HTMLElement {
  return element(
    'button',
    { class: `problem ${severity}`, title: message, click: choose },
    element('span', { class: 'severity' }, severity),
    element('span', { class: 'text' }, message),
    element('span', { class: 'source' }, source),
    element('span', { class: 'place' }, `${path}:${start.line + 1}:${start.character + 1}`),
  );
}

// Below the editor: problems, and what the server writes to its stderr.

import { byId, element } from '../dom.js';

export interface FootTab {
  title: string;
  content: HTMLElement;
  /** Runs whenever the tab comes into sight. */
  onShow?: () => void;
}

/** Shows the tabs, the first one at the start, and returns what shows another, and what changes its badge. */
export function startFoot(tabs: readonly FootTab[]): {
  show: (index: number) => void;
  badge: (index: number, text: string, kind?: string) => void;
} {
  const buttons = tabs.map(({ title }, index) =>
    element(
      'button',
      { role: 'tab', id: `foot-tab-${index}`, click: () => show(index) },
      title,
      element('span', { class: 'badge', hidden: true }),
    ),
  );
  const list = element('div', { role: 'tablist', class: 'foot-tabs', 'aria-label': 'Below the editor' }, ...buttons);
  for (const [index, { content }] of tabs.entries()) {
    content.setAttribute('role', 'tabpanel');
    content.setAttribute('aria-labelledby', `foot-tab-${index}`);
  }
  byId('foot').append(list, ...tabs.map(({ content }) => content));

  const show = (shown: number): void => {
    for (const [index, { content }] of tabs.entries()) {
      content.hidden = index !== shown;
      buttons[index]!.ariaSelected = String(index === shown);
      buttons[index]!.tabIndex = index === shown ? 0 : -1;
    }
    tabs[shown]!.onShow?.();
  };
  list.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const next = (buttons.indexOf(document.activeElement as HTMLButtonElement) + step + tabs.length) % tabs.length;
    show(next);
    buttons[next]!.focus();
  });
  show(0);
  const badge = (index: number, text: string, kind = ''): void => {
    const place = buttons[index]!.querySelector<HTMLElement>('.badge')!;
    place.textContent = text;
    place.className = `badge ${kind}`;
    place.hidden = text === '';
  };
  return { show, badge };
}

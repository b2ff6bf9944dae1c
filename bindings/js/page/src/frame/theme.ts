// Light and dark: the system's choice until the person makes one.

import { byId } from '../dom.js';
import { Observable } from '../observable.js';

type Choice = 'system' | 'light' | 'dark';

const storedAs = 'parley.theme';
const after: Record<Choice, Choice> = { system: 'light', light: 'dark', dark: 'system' };
const labels: Record<Choice, string> = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' };
const system = matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is dark now. What draws on a canvas follows it. */
export const isDark = new Observable(system.matches);

/** Applies the stored choice, and makes the button change it. */
export function startTheme(): void {
  const button = byId('theme');
  let choice = (localStorage.getItem(storedAs) ?? 'system') as Choice;
  if (!(choice in after)) choice = 'system';

  const apply = (): void => {
    document.documentElement.style.colorScheme = choice === 'system' ? 'light dark' : choice;
    button.textContent = labels[choice];
    isDark.set(choice === 'system' ? system.matches : choice === 'dark');
  };
  button.addEventListener('click', () => {
    choice = after[choice];
    localStorage.setItem(storedAs, choice);
    apply();
  });
  system.addEventListener('change', apply);
  apply();
}

/** A colour of the style sheet as it is now, for a canvas. */
export function colour(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

// What is said in passing: news in the status line, for a while; errors in the corner, until they are dismissed.

import { byId, element } from '../dom.js';

const newsMs = 8000;
const errorsMax = 4;

let newsTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows one line in the status line, instead of the one before. */
export function tell(news: string): void {
  byId('news').textContent = news;
  clearTimeout(newsTimer);
  newsTimer = setTimeout(() => (byId('news').textContent = ''), newsMs);
}

/** Shows one line that somebody has to see. */
export function complain(text: string): void {
  const place = byId('notices');
  const notice = element('div', { class: 'notice' }, element('span', {}, text));
  notice.append(element('button', { class: 'quiet', 'aria-label': 'Dismiss', click: () => notice.remove() }, '×'));
  place.append(notice);
  while (place.childElementCount > errorsMax) place.firstElementChild!.remove();
}

/** One line of an error, whatever was thrown. */
export function lineOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown }; // the error of an answer is no Error
  return String(message ?? error)
    .replace(/\s+/g, ' ')
    .slice(0, 512);
}

// A server's Markdown, rendered: it is somebody else's text, so little of HTML is let through.

import DOMPurify from 'dompurify';

const purify = DOMPurify(window);

purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});

const allowed = {
  ALLOWED_TAGS: [
    'a',
    'p',
    'br',
    'hr',
    'code',
    'pre',
    'span',
    'em',
    'strong',
    'del',
    'ul',
    'ol',
    'li',
    'blockquote',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
  ],
  ALLOWED_ATTR: ['href', 'class'],
  ALLOWED_URI_REGEXP: /^https?:/i,
};

export const sanitize = (html: string): string => purify.sanitize(html, allowed);

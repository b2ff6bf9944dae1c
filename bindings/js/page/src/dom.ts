// Elements, made of text and never of markup: what a server or a file says cannot become HTML.

type Attributes = Record<string, string | number | boolean | ((event: never) => void)>;

/** Makes an element. A function is a listener, true an attribute without value, false none. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value as EventListener);
    else if (value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/** The element of index.html with that id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`index.html has no element with the id ${id}`);
  return found as T;
}

/** What an empty place says: a line, and what can be done about it. */
export function emptyState(title: string, ...lines: (Node | string)[]): HTMLElement {
  return element('div', { class: 'empty' }, element('strong', {}, title), ...lines.map((line) => element('p', {}, line)));
}

/** Runs draw before the next frame, once however often it is asked for. */
export function onceAFrame(draw: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  };
}

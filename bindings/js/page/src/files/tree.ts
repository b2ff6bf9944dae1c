// The tree of files: folders open and close, a file opens in the editor. Keys as in any tree.

import { byId, element, emptyState } from '../dom.js';
import type { Entry } from './store.js';

interface Node {
  name: string;
  path: string;
  isFolder: boolean;
  children: Node[];
}

/** Shows entries; folders at the top of the tree start open when there are few. */
export class FileTree {
  readonly #place = byId('tree');
  readonly #open = new Set<string>();
  #roots: Node[] = [];
  #current = ''; // the path that is edited
  #focused = ''; // the path that Tab reaches

  constructor(private readonly onOpen: (path: string) => void) {
    this.#place.addEventListener('click', (event) => this.#click(event));
    this.#place.addEventListener('keydown', (event) => this.#key(event));
  }

  show(entries: readonly Entry[], isCut: boolean): void {
    this.#roots = nodesOf(entries);
    this.#render();
    if (entries.length === 0)
      this.#place.replaceChildren(emptyState('The folder is empty', 'Refresh lists what has appeared in it since.'));
    if (isCut) this.#place.append(element('p', { class: 'hint' }, 'The folder holds more files than are listed here.'));
  }

  /** Says why there is no tree. */
  showNothing(title: string, ...lines: string[]): void {
    this.#place.replaceChildren(emptyState(title, ...lines));
  }

  /** Marks the file that is edited, and opens the folders that hold it. */
  set current(path: string) {
    this.#current = path;
    this.#focused = path;
    const parts = path.split('/').slice(0, -1);
    for (const i of parts.keys()) this.#open.add(parts.slice(0, i + 1).join('/'));
    this.#render();
  }

  #render(): void {
    if (this.#roots.length === 0) return;
    const hadFocus = this.#place.contains(document.activeElement);
    const list = element('ul', { role: 'tree', 'aria-label': 'Files' }, ...this.#roots.map((node) => this.#item(node, 0)));
    this.#place.replaceChildren(list);
    const rows = this.#rows();
    const row = rows.find(({ dataset }) => dataset.path === this.#focused) ?? rows[0];
    if (row === undefined) return;
    row.tabIndex = 0;
    if (hadFocus) row.focus();
  }

  #item(node: Node, depth: number): HTMLElement {
    const isOpen = node.isFolder && this.#open.has(node.path);
    const row = element('div', {
      class: 'entry',
      role: 'treeitem',
      tabindex: -1,
      'data-path': node.path,
      'aria-level': depth + 1,
      'aria-selected': String(node.path === this.#current),
      ...(node.isFolder && { 'aria-expanded': String(isOpen) }),
    });
    row.style.paddingInlineStart = `${8 + depth * 14}px`;
    row.append(element('span', { class: 'twist', 'aria-hidden': 'true' }, node.isFolder ? (isOpen ? '▾' : '▸') : ''), node.name);
    const item = element('li', { role: 'none' }, row);
    if (isOpen) item.append(element('ul', { role: 'group' }, ...node.children.map((child) => this.#item(child, depth + 1))));
    return item;
  }

  #rows(): HTMLElement[] {
    return [...this.#place.querySelectorAll<HTMLElement>('.entry')];
  }

  #click(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>('.entry');
    if (row !== null) this.#activate(row);
  }

  #activate(row: HTMLElement): void {
    const path = row.dataset.path!;
    this.#focused = path;
    if (row.ariaExpanded === null) this.onOpen(path);
    else this.#fold(path, row.ariaExpanded === 'false');
  }

  #fold(path: string, isOpen: boolean): void {
    if (isOpen) this.#open.add(path);
    else this.#open.delete(path);
    this.#render();
  }

  #key(event: KeyboardEvent): void {
    const rows = this.#rows();
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const row = rows[at];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const path = row.dataset.path!;
    const isOpen = row.ariaExpanded;
    const focus = (next: HTMLElement | undefined): void => {
      if (next === undefined) return;
      this.#focused = next.dataset.path!;
      row.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    };
    const parent = (): HTMLElement | undefined =>
      rows.find(({ dataset }) => dataset.path === path.split('/').slice(0, -1).join('/'));
    if (event.key === 'ArrowDown') focus(rows[at + 1]);
    else if (event.key === 'ArrowUp') focus(rows[at - 1]);
    else if (event.key === 'Home') focus(rows[0]);
    else if (event.key === 'End') focus(rows.at(-1));
    else if (event.key === 'ArrowRight' && isOpen === 'true') focus(rows[at + 1]);
    else if (event.key === 'ArrowRight' && isOpen === 'false') this.#fold(path, true);
    else if (event.key === 'ArrowLeft' && isOpen === 'true') this.#fold(path, false);
    else if (event.key === 'ArrowLeft') focus(parent());
    else if (event.key === 'Enter' || event.key === ' ') this.#activate(row);
    else return;
    event.preventDefault();
  }
}

/** Nests a list of paths; a folder that the list only implies exists too. Folders come first. */
function nodesOf(entries: readonly Entry[]): Node[] {
  const roots: Node[] = [];
  const folders = new Map<string, Node>();
  const childrenOf = (path: string): Node[] => (path === '' ? roots : folder(path).children);
  const add = (path: string, isFolder: boolean): Node => {
    const cut = path.lastIndexOf('/');
    const node = { name: path.slice(cut + 1), path, isFolder, children: [] };
    childrenOf(cut < 0 ? '' : path.slice(0, cut)).push(node);
    return node;
  };
  const folder = (path: string): Node => {
    const node = folders.get(path) ?? add(path, true);
    folders.set(path, node);
    return node;
  };
  for (const { path, directory } of entries) {
    if (directory) folder(path);
    else add(path, false);
  }
  sort(roots);
  return roots;
}

function sort(nodes: Node[]): void {
  nodes.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name));
  for (const node of nodes) sort(node.children);
}

// Figures as people read them. Every one has a width that does not jump.

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

export function milliseconds(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The time since the page was opened, in seconds. */
export function clock(atMs: number): string {
  return (atMs / 1000).toFixed(3);
}

export function count(n: number): string {
  return n.toLocaleString('en-US');
}

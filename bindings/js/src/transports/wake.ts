// What a browser knows about the network and about who is looking.

/** Listens for reasons to hasten; the result ends that. */
export type WakeUps = (to: {
  /** An attempt may succeed now. */
  retry(): void;
  /** The socket may be dead: the network was away. */
  replace(): void;
}) => () => void;

/** online behind offline, and a page that is looked at again. In Node nothing ever tells. */
export const wakeUps: WakeUps = (to) => {
  if (typeof addEventListener !== 'function') return () => undefined;
  let wasOffline = false;
  const offline = (): void => {
    wasOffline = true;
  };
  const online = (): void => {
    if (wasOffline) to.replace();
    else to.retry();
    wasOffline = false;
  };
  const visible = (): void => {
    if (document.visibilityState === 'visible') to.retry();
  };
  const page = typeof document === 'undefined' ? undefined : document;
  addEventListener('offline', offline);
  addEventListener('online', online);
  page?.addEventListener('visibilitychange', visible);
  return () => {
    removeEventListener('offline', offline);
    removeEventListener('online', online);
    page?.removeEventListener('visibilitychange', visible);
  };
};

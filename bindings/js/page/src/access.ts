// Who may use the bridge: the token of its printed address, and requests that carry it.

const storedAs = 'parley.token';

/**
 * The token of this page's address, which is then removed from the address bar, so that it is
 * neither bookmarked nor shared; later the one kept for this tab. '': the bridge wants none, or the
 * address was incomplete, and its first answer says which.
 */
export function takeToken(): string {
  const address = new URL(location.href);
  const given = address.searchParams.get('token');
  if (given === null) return sessionStorage.getItem(storedAs) ?? '';
  sessionStorage.setItem(storedAs, given);
  address.searchParams.delete('token');
  history.replaceState(null, '', address);
  return given;
}

/** A request that the bridge did not grant, with what it said. */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';

  constructor(
    readonly path: string,
    /** The HTTP status; 0: no answer came at all. */
    readonly status: number,
    said: string,
  ) {
    super(
      status === 0
        ? `the bridge does not answer; does parley serve still run? (${said})`
        : said === ''
          ? `${path}: HTTP ${status}`
          : said,
    );
  }
}

/** Speaks HTTP with the bridge that served this page. */
export class Bridge {
  constructor(readonly token: string) {}

  /** Resolves with an answer of 2xx or of a status in expected, and else rejects with a BridgeError. */
  async request(path: string, init: RequestInit = {}, expected: readonly number[] = []): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.token !== '') headers.set('Authorization', `Bearer ${this.token}`);
    const response = await fetch(path, { cache: 'no-store', ...init, headers }).catch((error: unknown) => {
      throw new BridgeError(path, 0, String(error));
    });
    if (response.ok || expected.includes(response.status)) return response;
    throw new BridgeError(path, response.status, (await response.text()).trim().slice(0, 512));
  }

  /** The address of a server's WebSocket, with the token. */
  socketAddress(server: string): URL {
    const address = new URL(`/ws/${encodeURIComponent(server)}`, location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    if (this.token !== '') address.searchParams.set('token', this.token);
    return address;
  }
}

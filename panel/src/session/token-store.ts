// The session's token, in memory and in the tab's session storage, so that it survives a page reload. The browser may write
// that to disk; the token expires soon after the tab is closed. The key is never stored. A new tab gets the token from an
// open one by a channel that only this origin can use.
const NAME = 'proxy-manager-session';
/** Earlier versions stored the key itself here. */
const OLD_NAME = 'proxy-manager-key';
const CHANNEL = 'proxy-manager-session';
type Message = { readonly ask: true } | { readonly token: string };

/** The part of `BroadcastChannel` used here. */
export interface TabChannel {
  postMessage(message: Message): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

export class TokenStore {
  readonly #storage: Storage;
  readonly #tabs: TabChannel;
  #token: string | null;
  /** Set while this tab waits for another tab's token. */
  #received: (() => void) | null = null;

  constructor(storage: Storage, tabs: TabChannel = new BroadcastChannel(CHANNEL)) {
    this.#storage = storage;
    this.#tabs = tabs;
    storage.removeItem(OLD_NAME);
    this.#token = storage.getItem(NAME);
    tabs.addEventListener('message', ({ data }) => this.#onMessage(data as Partial<{ ask: true; token: string }>));
  }

  get token(): string | null {
    return this.#token;
  }

  /**
   * Takes over the token of a signed-in tab and calls `received` once it is set. Waits until this tab gets a token of
   * its own: a background tab on a busy machine may respond after seconds. Without a signed-in tab, it is never called.
   */
  askTabs(received: () => void): void {
    this.#received = received;
    this.#tabs.postMessage({ ask: true });
  }

  set(token: string): void {
    this.#received = null;
    this.#token = token;
    this.#storage.setItem(NAME, token);
  }

  clear(): void {
    this.#received = null;
    this.#token = null;
    this.#storage.removeItem(NAME);
  }

  #onMessage({ ask, token }: Partial<{ readonly ask: true; readonly token: string }>): void {
    if (ask === true && this.#token !== null) this.#tabs.postMessage({ token: this.#token });
    const received = this.#received;
    if (typeof token !== 'string' || received === null) return;
    this.set(token);
    received();
  }
}

// The session's token. Session storage keeps it across a page reload, and the browser may write it to disk, so it expires
// soon after the tab is closed; the key is never stored. A new tab gets it by a channel of this origin.
const NAME = 'proxy-manager-session';
/** Earlier versions stored the key itself here. */
const OLD_NAME = 'proxy-manager-key';
const CHANNEL = 'proxy-manager-session';
type Message = { readonly ask: true } | { readonly token: string };

export interface TabChannel {
  postMessage(message: Message): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

export class TokenStore {
  readonly #storage: Storage;
  readonly #tabs: TabChannel;
  #token: string | null;
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
   * Calls `received` once a signed-in tab has sent its token, unless this tab gets its own first. No deadline: a
   * background tab on a busy machine responds after seconds.
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

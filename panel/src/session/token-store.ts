// The session's token, in memory and in the tab's session storage, so that it survives a page reload. The browser may write
// that to disk; the token expires soon after the tab is closed. The key is never stored. A new tab gets the token from an
// open one by a channel that only this origin can use.
const NAME = 'proxy-manager-session';
/** Earlier versions stored the key itself here. */
const OLD_NAME = 'proxy-manager-key';
const CHANNEL = 'proxy-manager-session';
/** Time for another tab to answer; milliseconds. */
const patienceMs = 300;

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
  #received: (token: string) => void = () => undefined;

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

  /** The token of another tab; null: no tab is signed in. */
  async ofAnotherTab(): Promise<string | null> {
    return await new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), patienceMs);
      this.#received = (token) => {
        clearTimeout(timer);
        resolve(token);
      };
      this.#tabs.postMessage({ ask: true });
    });
  }

  set(token: string): void {
    this.#token = token;
    this.#storage.setItem(NAME, token);
  }

  clear(): void {
    this.#token = null;
    this.#storage.removeItem(NAME);
  }

  #onMessage({ ask, token }: Partial<{ readonly ask: true; readonly token: string }>): void {
    if (ask === true && this.#token !== null) this.#tabs.postMessage({ token: this.#token });
    if (typeof token === 'string' && this.#token === null) this.#received(token);
  }
}

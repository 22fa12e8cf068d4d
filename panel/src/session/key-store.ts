// The key, for as long as this tab lives: in memory, and in the tab's own session storage so that a reload of the page
// does not ask again. Never in an address, a cookie, or what outlives the tab.
const NAME = 'proxy-manager-key';

export class KeyStore {
  #key: string | null;
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#key = storage.getItem(NAME);
  }

  get key(): string | null {
    return this.#key;
  }

  set(key: string): void {
    this.#key = key;
    this.#storage.setItem(NAME, key);
  }

  clear(): void {
    this.#key = null;
    this.#storage.removeItem(NAME);
  }
}

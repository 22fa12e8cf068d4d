// The account at each authority: made once, its key sealed before it is used.
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import type { AcmeClient } from '../acme/authority.ts';
import { CannotUnseal, type SealedFor, type Sealer } from '../secrets/sealed.ts';
import { SecretText } from '../secrets/secret-text.ts';
import type { AcmeAccount, AcmeAccountsStore } from '../store/acme-accounts-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';

export interface AccountSettings {
  /** The authority of new orders: a URL. */
  readonly directory: string;
  readonly contacts: readonly string[];
  readonly termsAgreed: boolean;
  /** Of this authority, if it knows its customers already. */
  readonly externalAccount: { readonly kid: string; readonly hmacKey: Uint8Array } | null;
}

interface AccountsDeps {
  readonly store: AcmeAccountsStore;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly settings: AccountSettings;
  readonly connect: (directory: string, accountKey: KeyObject) => AcmeClient;
  readonly createId: () => string;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
}

export interface Account {
  readonly client: AcmeClient;
  readonly key: KeyObject;
}

const TABLE = 'acme_accounts';

export class Accounts {
  readonly #deps: AccountsDeps;
  /** Of each directory; registered in this run of the service. */
  readonly #ready = new Map<string, Promise<Account>>();
  /** One for each directory and key, since each has connections. */
  readonly #clients = new Map<string, AcmeClient>();

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  /**
   * Registered. One registration at a time and directory; one that failed is repeated by the next call. Throws what the
   * client throws, `SecretUnusable`.
   */
  async of(directory: string): Promise<Account> {
    const known = this.#ready.get(directory);
    if (known !== undefined) return await known;
    const account = this.#register(directory);
    this.#ready.set(directory, account);
    try {
      return await account;
    } catch (error) {
      // A later one may have begun meanwhile.
      if (this.#ready.get(directory) === account) this.#ready.delete(directory);
      throw error;
    }
  }

  /** The authority does not know the account any more: the next call registers its key again. */
  async forget(directory: string): Promise<void> {
    this.#ready.delete(directory);
    await this.#deps.store.registered(directory, null);
  }

  async #register(directory: string): Promise<Account> {
    const { store, settings } = this.#deps;
    const key = await this.#keyOf(directory);
    const client = this.#clientOf(directory, key);
    const { contacts, termsAgreed } = settings;
    const externalAccount = directory === settings.directory ? settings.externalAccount : null;
    // Of a key that has an account, the authority answers with that one.
    const { url } = await client.register({ contacts, termsAgreed, externalAccount });
    await store.registered(directory, url);
    return { client, key };
  }

  #clientOf(directory: string, key: KeyObject): AcmeClient {
    const id = `${publicKeySha256Of(key)} ${directory}`;
    const client = this.#clients.get(id) ?? this.#deps.connect(directory, key);
    this.#clients.set(id, client);
    return client;
  }

  async #keyOf(directory: string): Promise<KeyObject> {
    const { store, sealer, createId, now } = this.#deps;
    const stored = await store.get(directory);
    const key = stored === null ? null : this.#openKey(stored);
    if (key !== null) return key;
    const { privateKey, publicKeySha256 } = newKey();
    const row = { id: createId(), publicKeySha256 };
    // Without a usable secret this throws, and the stored key stays.
    const keySealed = sealer.seal(pemOf(privateKey), sealedFor(row));
    await store.put({ directory, url: null, keySealed, ...row }, now());
    return privateKey;
  }

  /** Null: it was sealed with a secret that is lost. The authority gives another key another account. */
  #openKey(stored: AcmeAccount): KeyObject | null {
    try {
      return createPrivateKey(this.#deps.sealer.open(stored.keySealed, sealedFor(stored)).reveal());
    } catch (error) {
      if (!(error instanceof CannotUnseal)) throw error;
      const { directory } = stored;
      this.#deps.log.warn('Key of the account not readable; registering another', {
        directory,
        cause: causeText(error),
      });
      return null;
    }
  }
}

/** P-256. `publicKeySha256`: of its DER, hexadecimal. */
export function newKey(): { readonly privateKey: KeyObject; readonly publicKeySha256: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { privateKey, publicKeySha256: publicKeySha256Of(privateKey) };
}

function publicKeySha256Of(privateKey: KeyObject): string {
  return hash('sha256', createPublicKey(privateKey).export({ type: 'spki', format: 'der' }));
}

/** PKCS #8. */
export function pemOf(key: KeyObject): SecretText {
  return new SecretText(key.export({ type: 'pkcs8', format: 'pem' }) as string);
}

function sealedFor({ id, publicKeySha256 }: { readonly id: string; readonly publicKeySha256: string }): SealedFor {
  return { table: TABLE, id, publicKeySha256 };
}

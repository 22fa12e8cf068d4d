// The account at each authority: made once, its key sealed before it is used.
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import type { AcmeClient } from '../acme/authority.ts';
import type { SealedFor, Sealer } from '../secrets/sealed.ts';
import { SecretText } from '../secrets/secret-text.ts';
import type { AcmeAccountsStore } from '../store/acme-accounts-store.ts';

export interface AccountSettings {
  readonly contacts: readonly string[];
  readonly termsAgreed: boolean;
  /** Of an authority that knows its customers already. */
  readonly externalAccount: { readonly kid: string; readonly hmacKey: Uint8Array } | null;
}

interface AccountsDeps {
  readonly store: AcmeAccountsStore;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly settings: AccountSettings;
  readonly connect: (directory: string, accountKey: KeyObject) => AcmeClient;
  readonly createId: () => string;
  readonly now: () => Date;
}

export interface Account {
  readonly client: AcmeClient;
  readonly key: KeyObject;
  readonly renewalInfo: boolean;
}

const TABLE = 'acme_accounts';

export class Accounts {
  readonly #deps: AccountsDeps;
  /** Of each directory; registered in this run of the service. */
  readonly #ready = new Map<string, Promise<Account>>();

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  /**
   * Registered. One registration at a time and directory; one that failed is repeated by the next call. Throws what the
   * client throws, `CannotUnseal`, `SecretUnusable`.
   */
  async of(directory: string): Promise<Account> {
    const known = this.#ready.get(directory);
    if (known !== undefined) return await known;
    const account = this.#register(directory);
    this.#ready.set(directory, account);
    try {
      return await account;
    } catch (error) {
      this.#ready.delete(directory);
      throw error;
    }
  }

  /** The authority does not know the account any more: the next call registers its key again. */
  async forget(directory: string): Promise<void> {
    this.#ready.delete(directory);
    await this.#deps.store.registered(directory, null);
  }

  async #register(directory: string): Promise<Account> {
    const { store, settings, connect } = this.#deps;
    const key = await this.#keyOf(directory);
    const client = connect(directory, key);
    const { renewalInfo } = await client.directory();
    // Of a key that has an account, the authority answers with that one.
    const { url } = await client.register(settings);
    await store.registered(directory, url);
    return { client, key, renewalInfo };
  }

  async #keyOf(directory: string): Promise<KeyObject> {
    const { store, sealer, createId, now } = this.#deps;
    const stored = await store.get(directory);
    if (stored !== null) return createPrivateKey(sealer.open(stored.keySealed, sealedFor(stored)).reveal());
    const { privateKey, publicKeySha256 } = newKey();
    const row = { id: createId(), publicKeySha256 };
    const keySealed = sealer.seal(pemOf(privateKey), sealedFor(row));
    await store.create({ directory, url: null, keySealed, ...row }, now());
    return privateKey;
  }
}

/** P-256. `publicKeySha256`: of its DER, hexadecimal. */
export function newKey(): { readonly privateKey: KeyObject; readonly publicKeySha256: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return { privateKey, publicKeySha256: hash('sha256', publicKey) };
}

/** PKCS #8. */
export function pemOf(key: KeyObject): SecretText {
  return new SecretText(key.export({ type: 'pkcs8', format: 'pem' }) as string);
}

function sealedFor({ id, publicKeySha256 }: { readonly id: string; readonly publicKeySha256: string }): SealedFor {
  return { table: TABLE, id, publicKeySha256 };
}

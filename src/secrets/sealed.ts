import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { SecretText } from './secret-text.ts';

/** In bytes. */
export const SECRET_LENGTH = 32;

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/** The row that a sealed key belongs to: in another row, or with another certificate, it cannot be opened. */
export interface SealedFor {
  readonly table: string;
  readonly id: string;
  /** Of the public key, DER: hexadecimal. */
  readonly publicKeySha256: string;
}

/** A sealed key cannot be opened. The message says which, and what to do. */
export class CannotUnseal extends Error {
  constructor({ table, id }: SealedFor, why: string) {
    super(`the private key of ${id} (table ${table}) cannot be read: ${why}`);
    this.name = 'CannotUnseal';
  }
}

/** Seals private keys for the database, and opens them. */
export class Sealer {
  readonly #secret: Buffer;

  /** @param secret `SECRET_LENGTH` bytes; kept, not copied */
  constructor(secret: Buffer) {
    if (secret.length !== SECRET_LENGTH) throw new RangeError(`a secret has ${SECRET_LENGTH} bytes`);
    this.#secret = secret;
  }

  /** Version, nonce, encrypted text and authentication tag. Another result for each call. */
  seal(text: SecretText, row: SealedFor): Buffer {
    const nonce = randomBytes(NONCE_LENGTH);
    const cipher = createCipheriv(CIPHER, this.#secret, nonce, { authTagLength: TAG_LENGTH }).setAAD(aadOf(row));
    const encrypted = [cipher.update(text.reveal(), 'utf8'), cipher.final()];
    return Buffer.concat([Buffer.from([VERSION]), nonce, ...encrypted, cipher.getAuthTag()]);
  }

  /** Throws `CannotUnseal`. */
  open(sealed: Uint8Array, row: SealedFor): SecretText {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    if (bytes.length < 1 + NONCE_LENGTH + TAG_LENGTH) throw new CannotUnseal(row, 'it was cut; upload it again');
    if (bytes[0] !== VERSION) throw new CannotUnseal(row, 'a newer version of proxy-manager sealed it');
    const nonce = bytes.subarray(1, 1 + NONCE_LENGTH);
    const decipher = createDecipheriv(CIPHER, this.#secret, nonce, { authTagLength: TAG_LENGTH })
      .setAAD(aadOf(row))
      .setAuthTag(bytes.subarray(-TAG_LENGTH));
    try {
      const text = decipher.update(bytes.subarray(1 + NONCE_LENGTH, -TAG_LENGTH), undefined, 'utf8');
      return new SecretText(text + decipher.final('utf8'));
    } catch {
      // OpenSSL's error says only that something does not fit.
      throw new CannotUnseal(
        row,
        'it was sealed with another secret, or its row was changed; put the secret file that belongs to this database back, or upload the certificate again',
      );
    }
  }

  [inspect.custom](): string {
    return 'Sealer (secret not shown)';
  }
}

/** None of them contains a colon. */
function aadOf({ table, id, publicKeySha256 }: SealedFor): Buffer {
  return Buffer.from(`${table}:${id}:${publicKeySha256}`, 'utf8');
}

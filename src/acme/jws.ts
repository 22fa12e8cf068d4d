// Signed requests (RFC 8555, 6.2; RFC 7515), with ES256 and the account's P-256 key.
import { createHmac, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

export interface Jws {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

interface Signed {
  readonly url: string;
  readonly nonce: string;
  /** The URL of the account; null: the key itself, for a new account (6.2). */
  readonly account: string | null;
  /** Absent: POST-as-GET (6.3). */
  readonly payload?: unknown;
}

export function signedRequest(key: KeyObject, { url, nonce, account, payload }: Signed): Jws {
  const identity = account === null ? { jwk: publicJwk(key) } : { kid: account };
  const header = encoded({ alg: 'ES256', nonce, url, ...identity });
  const body = payload === undefined ? '' : encoded(payload);
  const signature = sign('sha256', Buffer.from(`${header}.${body}`), { key, dsaEncoding: 'ieee-p1363' });
  return { protected: header, payload: body, signature: signature.toString('base64url') };
}

/** Binds the account to one that the authority knows (7.3.4). */
export function externalAccountBinding(key: KeyObject, url: string, kid: string, hmacKey: Uint8Array): Jws {
  const header = encoded({ alg: 'HS256', kid, url });
  const body = encoded(publicJwk(key));
  const signature = createHmac('sha256', hmacKey).update(`${header}.${body}`).digest('base64url');
  return { protected: header, payload: body, signature };
}

/** What the challenge has to answer (8.1). */
export function keyAuthorization(token: string, accountKey: KeyObject): string {
  return `${token}.${hash('sha256', JSON.stringify(publicJwk(accountKey)), 'base64url')}`;
}

/** The value of the TXT record of dns-01 (8.4). */
export function dnsValue(authorization: string): string {
  return hash('sha256', authorization, 'base64url');
}

/** With its members in the order that a thumbprint needs (RFC 7638). */
function publicJwk(key: KeyObject): Readonly<Record<'crv' | 'kty' | 'x' | 'y', string>> {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  if (crv !== 'P-256' || kty !== 'EC' || x === undefined || y === undefined) {
    throw new TypeError('the key of an account has to be a P-256 key');
  }
  return { crv, kty, x, y };
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

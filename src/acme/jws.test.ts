import { createHash, createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { dnsValue, externalAccountBinding, keyAuthorization, signedRequest } from './jws.ts';

/** RFC 7515, appendix A.3. */
const jwk = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
};
const key = createPrivateKey({ key: jwk, format: 'jwk' });
const opened = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
const thumbprint = createHash('sha256')
  .update(`{"crv":"P-256","kty":"EC","x":"${jwk.x}","y":"${jwk.y}"}`)
  .digest('base64url');

describe('a signed request', () => {
  const common = { url: 'https://ca.example/order', nonce: 'n1' };

  it('names the account, and has a signature of its key', () => {
    const jws = signedRequest(key, { ...common, account: 'https://ca.example/acct/1', payload: { a: 1 } });
    expect(opened(jws.protected)).toEqual({ alg: 'ES256', ...common, kid: 'https://ca.example/acct/1' });
    expect(opened(jws.payload)).toEqual({ a: 1 });
    const signed = Buffer.from(`${jws.protected}.${jws.payload}`);
    const publicKey = { key: createPublicKey(key), dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', signed, publicKey, Buffer.from(jws.signature, 'base64url'))).toBe(true);
  });

  it('for a new account has the public key, never the private one', () => {
    const jws = signedRequest(key, { ...common, account: null });
    const { d: _private, ...publicOnly } = jwk;
    expect(opened(jws.protected)).toEqual({ alg: 'ES256', ...common, jwk: publicOnly });
    expect(jws.payload).toBe('');
  });

  it('binds the account of a customer', () => {
    const jws = externalAccountBinding(key, common.url, 'customer-1', Buffer.alloc(32));
    expect(opened(jws.protected)).toEqual({ alg: 'HS256', kid: 'customer-1', url: common.url });
    expect(opened(jws.payload)).not.toHaveProperty('d');
  });
});

it('the answer to a challenge has the thumbprint of the key', () => {
  expect(keyAuthorization('token-1', key)).toBe(`token-1.${thumbprint}`);
  expect(dnsValue(`token-1.${thumbprint}`)).toBe(
    createHash('sha256').update(`token-1.${thumbprint}`).digest('base64url'),
  );
});

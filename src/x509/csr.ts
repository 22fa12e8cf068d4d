// Certificate signing requests (RFC 2986).
import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import * as der from './der.ts';
import { subjectAltNames } from './issue.ts';

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

/** DER. Without a subject: the names say it all. @param privateKey P-256 */
export function signingRequest(names: readonly string[], privateKey: KeyObject): Buffer {
  const attribute = der.sequence(der.oid(EXTENSION_REQUEST), der.set(der.sequence(subjectAltNames(names))));
  const info = der.sequence(
    der.integer(Buffer.from([0])),
    der.sequence(),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der.explicit(0, attribute),
  );
  return der.sequence(info, der.sequence(der.oid(ECDSA_WITH_SHA256)), der.bitString(sign('sha256', info, privateKey)));
}

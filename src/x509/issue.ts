// Makes certificates: the default one, and those of tests.

import { createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import * as der from './der.ts';
import { pemOf } from './pem.ts';

const OIDS = {
  commonName: '2.5.4.3',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

const DNS_NAME = 2;

interface Wanted {
  readonly commonName: string;
  readonly publicKey: KeyObject;
  readonly issuer: { readonly commonName: string; readonly privateKey: KeyObject };
  /** DNS names; none: without a `subjectAltName`. */
  readonly names?: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly ca?: boolean;
  /** OIDs; none: without an `extendedKeyUsage`. */
  readonly extendedKeyUsage?: readonly string[];
}

/** A certificate in PEM, with a random serial number. Dates in whole seconds. */
export function issueCertificate(wanted: Wanted): string {
  const { privateKey } = wanted.issuer;
  const algorithm = signatureAlgorithm(privateKey);
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const tbs = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(serial),
    algorithm.identifier,
    nameOf(wanted.issuer.commonName),
    der.sequence(der.time(wanted.notBefore), der.time(wanted.notAfter)),
    nameOf(wanted.commonName),
    wanted.publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...extensionsOf(wanted))),
  );
  const signature = sign(algorithm.digest, tbs, privateKey);
  return pemOf('CERTIFICATE', der.sequence(tbs, algorithm.identifier, der.bitString(signature)));
}

/** Signed with its own key. */
export function issueSelfSigned(
  wanted: Omit<Wanted, 'publicKey' | 'issuer'> & { readonly privateKey: KeyObject },
): string {
  const { privateKey, commonName } = wanted;
  return issueCertificate({
    ...wanted,
    publicKey: createPublicKey(privateKey),
    issuer: { commonName, privateKey },
  });
}

function nameOf(commonName: string): Buffer {
  return der.sequence(der.set(der.sequence(der.oid(OIDS.commonName), der.utf8(commonName))));
}

function extensionsOf({ ca, names = [], extendedKeyUsage = [OIDS.serverAuth] }: Wanted): Buffer[] {
  const constraints = ca === true ? der.sequence(der.boolean(true)) : der.sequence();
  const alternatives = names.map((name) => der.implicit(DNS_NAME, Buffer.from(name, 'ascii')));
  return [
    extension(OIDS.basicConstraints, constraints, true),
    ...(alternatives.length === 0 ? [] : [extension(OIDS.subjectAltName, der.sequence(...alternatives))]),
    ...(extendedKeyUsage.length === 0
      ? []
      : [extension(OIDS.extendedKeyUsage, der.sequence(...extendedKeyUsage.map(der.oid)))]),
  ];
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return der.sequence(der.oid(id), ...(critical ? [der.boolean(true)] : []), der.octetString(value));
}

function signatureAlgorithm(key: KeyObject): { readonly identifier: Buffer; readonly digest: string | null } {
  const type = key.asymmetricKeyType;
  if (type === 'ed25519') return { identifier: der.sequence(der.oid('1.3.101.112')), digest: null };
  if (type === 'rsa') {
    return { identifier: der.sequence(der.oid('1.2.840.113549.1.1.11'), der.nothing()), digest: 'sha256' };
  }
  if (type === 'ec') return { identifier: der.sequence(der.oid('1.2.840.10045.4.3.2')), digest: 'sha256' };
  throw new TypeError(`cannot sign with a key of type ${type}`);
}

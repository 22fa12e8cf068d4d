// Makes certificates: the default one, and those of tests.

import { createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import * as der from './der.ts';
import { pemOf } from './pem.ts';

const OIDS = {
  commonName: '2.5.4.3',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

const DNS_NAME = 2;
/** Each with the unused bits of its byte. */
const KEY_USAGES = { digitalSignature: [0x80, 7], keyCertSign: [0x04, 2] } as const;

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
  /** None: without a `keyUsage`. */
  readonly keyUsage?: 'digitalSignature' | 'keyCertSign';
  /** Of the signature, unless it is Ed25519; absent: SHA-256. */
  readonly digest?: 'sha1' | 'sha256';
}

/** A certificate in PEM, with a random serial number. Dates in whole seconds. */
export function issueCertificate(wanted: Wanted): string {
  const { privateKey } = wanted.issuer;
  const algorithm = signatureAlgorithm(privateKey, wanted.digest);
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

function extensionsOf({ ca, names = [], extendedKeyUsage = [OIDS.serverAuth], keyUsage }: Wanted): Buffer[] {
  const constraints = ca === true ? der.sequence(der.boolean(true)) : der.sequence();
  return [
    extension(OIDS.basicConstraints, constraints, true),
    ...(keyUsage === undefined ? [] : [extension(OIDS.keyUsage, usageBits(KEY_USAGES[keyUsage]), true)]),
    ...(names.length === 0 ? [] : [subjectAltNames(names)]),
    ...(extendedKeyUsage.length === 0
      ? []
      : [extension(OIDS.extendedKeyUsage, der.sequence(...extendedKeyUsage.map(der.oid)))]),
  ];
}

/** The extension `subjectAltName`, with DNS names. */
export function subjectAltNames(names: readonly string[]): Buffer {
  const alternatives = names.map((name) => der.implicit(DNS_NAME, Buffer.from(name, 'ascii')));
  return extension(OIDS.subjectAltName, der.sequence(...alternatives));
}

function usageBits([bits, unused]: readonly [number, number]): Buffer {
  return der.bitString(Buffer.from([bits]), unused);
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return der.sequence(der.oid(id), ...(critical ? [der.boolean(true)] : []), der.octetString(value));
}

const SIGNATURES = {
  rsa: { sha1: '1.2.840.113549.1.1.5', sha256: '1.2.840.113549.1.1.11' },
  ec: { sha1: '1.2.840.10045.4.1', sha256: '1.2.840.10045.4.3.2' },
} as const;

function signatureAlgorithm(
  key: KeyObject,
  digest: 'sha1' | 'sha256' = 'sha256',
): { readonly identifier: Buffer; readonly digest: string | null } {
  const type = key.asymmetricKeyType;
  if (type === 'ed25519') return { identifier: der.sequence(der.oid('1.3.101.112')), digest: null };
  if (type === 'rsa') {
    return { identifier: der.sequence(der.oid(SIGNATURES.rsa[digest]), der.nothing()), digest };
  }
  if (type === 'ec') return { identifier: der.sequence(der.oid(SIGNATURES.ec[digest])), digest };
  throw new TypeError(`cannot sign with a key of type ${type}`);
}

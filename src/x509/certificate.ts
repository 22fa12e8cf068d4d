import assert from 'node:assert/strict';
import { createPrivateKey, hash, type KeyObject, X509Certificate } from 'node:crypto';
import { coversHost } from '../domain/certificate-name.ts';
import { parsed, refused } from '../domain/parsed.ts';
import { quote } from '../domain/quote.ts';
import { chainOf, isSignedByItself, isValid, timeFault, weakness } from './chain.ts';
import { commonNames, nameText, type SubjectNames, subjectNames, subjectText } from './names.ts';
import { type PemBlock, parsePem, pemOf } from './pem.ts';
import { sha256Of } from './served-chain.ts';

export interface Uploaded {
  /** PEM: the certificate with its chain, in any order, and possibly its key. */
  readonly certificate: string;
  /** PEM; undefined: it is with the certificate. */
  readonly privateKey?: string | undefined;
}

type UploadedPart = keyof Uploaded;

export type CertificateRefusal = {
  readonly ok: false;
  /** Fit for a message, without a character of a key. */
  readonly why: string;
  readonly part: UploadedPart;
};

export type CertificateResult =
  /** `privateKeyPem`: PKCS #8. Apart from the rest, which may be logged and answered; it must not. */
  { readonly ok: true; readonly value: Certificate; readonly privateKeyPem: string } | CertificateRefusal;

/** A certificate that HAProxy can serve. */
export interface Certificate {
  /** DNS names, in lower case, without duplicates. */
  readonly names: readonly string[];
  /** What else it is for, which HAProxy does not serve by name: addresses, names that are none. */
  readonly otherNames: readonly string[];
  readonly keyType: 'RSA' | 'P-256' | 'P-384' | 'Ed25519';
  /** Of an RSA key. */
  readonly keyBits: number | null;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Hexadecimal, in upper case. */
  readonly serial: string;
  readonly subject: string;
  readonly issuer: string;
  /** Of the certificate itself: hexadecimal in lower case. */
  readonly sha256: string;
  /** Of the public key in DER: hexadecimal in lower case. */
  readonly publicKeySha256: string;
  /** As HAProxy shows it: hexadecimal in upper case. */
  readonly sha1: string;
  readonly isSelfSigned: boolean;
  /** Subjects, from the issuer of the certificate on, without the root. */
  readonly chain: readonly string[];
  /** Subjects of certificates that belong to neither the certificate nor its chain; they are left out. */
  readonly unused: readonly string[];
  /** The subject that the chain lacks; null: none. Only with `allowIncompleteChain`. */
  readonly missing: string | null;
  /** Sentences for the operator: which clients will not accept it, and what was left out. */
  readonly warnings: readonly string[];
  /** The certificate and its chain, each in PEM. */
  readonly certificatesPem: string;
}

const LEAST_RSA_BITS = 2048;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ANY_USAGE = '2.5.29.37.0';
const KEY_ENCODINGS = { 'PRIVATE KEY': 'pkcs8', 'RSA PRIVATE KEY': 'pkcs1', 'EC PRIVATE KEY': 'sec1' } as const;
const CURVES = { prime256v1: 'P-256', secp384r1: 'P-384' } as const;

const usableKeys = `RSA with at least ${LEAST_RSA_BITS} bits, P-256, P-384 or Ed25519`;

/**
 * Reads an uploaded certificate and checks everything that would make HAProxy or its clients refuse it: one key that is not
 * encrypted and fits, a complete chain, names, the time. `allowIncompleteChain`: for clients that know the intermediate
 * certificates of a private authority.
 */
export function readCertificate(
  { certificate, privateKey }: Uploaded,
  { now, allowIncompleteChain = false }: { readonly now: Date; readonly allowIncompleteChain?: boolean },
): CertificateResult {
  const own = parsePem(certificate);
  if (!own.ok) return wrong('certificate', own.why);
  const separate = privateKey === undefined ? parsed([]) : parsePem(privateKey);
  if (!separate.ok) return wrong('privateKey', separate.why);
  const keyPart: UploadedPart = privateKey === undefined ? 'certificate' : 'privateKey';

  const certificates = certificatesOf(own.value);
  if (!certificates.ok) return wrong('certificate', certificates.why);
  if (separate.value.some(({ label }) => label === 'CERTIFICATE')) {
    return wrong('privateKey', 'the private key comes with a certificate; put it with the certificate');
  }
  const key = keyOf([...own.value, ...separate.value]);
  if (!key.ok) return wrong(keyPart, key.why);

  // A renewed certificate may come with the one before it.
  const [leaf] = certificates.value
    .filter((one) => one.checkPrivateKey(key.value.key))
    .sort((a, b) => Number(isValid(b, now)) - Number(isValid(a, now)) || Number(b.validToDate) - Number(a.validToDate));
  if (leaf === undefined) {
    const subjects = certificates.value.map(subjectText).join('; ');
    return wrong(keyPart, `the private key belongs to none of the certificates (${subjects})`);
  }
  const names = subjectNames(leaf);
  const nameless = nameFault(leaf, names);
  if (nameless !== null) return wrong('certificate', nameless);
  const usages: readonly string[] | undefined = leaf.keyUsage;
  if (usages !== undefined && !usages.includes(SERVER_AUTH) && !usages.includes(ANY_USAGE)) {
    return wrong('certificate', `the certificate of ${subjectText(leaf)} is not for servers (no serverAuth)`);
  }
  const isSelfSigned = isSignedByItself(leaf);
  if (leaf.ca && !isSelfSigned) {
    return wrong('certificate', `the certificate of ${subjectText(leaf)} is that of an authority, not of a server`);
  }
  const fault = timeFault(leaf, now) ?? weakness(leaf);
  if (fault !== null) return wrong('certificate', fault);
  const chain = isSelfSigned
    ? { links: [], root: null, missing: null, fault: null }
    : chainOf(leaf, certificates.value, now);
  if (chain.fault !== null) return wrong('certificate', chain.fault);
  const { missing } = chain;
  if (missing !== null && !allowIncompleteChain) {
    return wrong(
      'certificate',
      `the chain is not complete: the certificate of ${missing} is missing; append it, or allow an incomplete chain if every client has it`,
    );
  }
  const served = [leaf, ...chain.links];
  const unused = certificates.value.filter((one) => !served.includes(one) && one !== chain.root).map(subjectText);
  return {
    ok: true,
    value: {
      names: names.dns,
      otherNames: names.others,
      ...key.value.kind,
      notBefore: leaf.validFromDate,
      notAfter: leaf.validToDate,
      serial: leaf.serialNumber,
      subject: subjectText(leaf),
      issuer: nameText(leaf.issuer),
      sha256: sha256Of(leaf),
      publicKeySha256: hash('sha256', leaf.publicKey.export({ type: 'spki', format: 'der' })),
      sha1: leaf.fingerprint.replaceAll(':', ''),
      isSelfSigned,
      chain: chain.links.map(subjectText),
      unused,
      missing,
      warnings: warningsOf({ isSelfSigned, keyType: key.value.kind.keyType, missing, unused }),
      certificatesPem: served.map(({ raw }) => pemOf('CERTIFICATE', raw)).join(''),
    },
    privateKeyPem: key.value.key.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function wrong(part: UploadedPart, why: string): CertificateRefusal {
  return { ok: false, why, part };
}

function nameFault(leaf: X509Certificate, names: SubjectNames): string | null {
  const subject = subjectText(leaf);
  const common = commonNames(leaf);
  if (names.dns.length === 0) {
    const [name] = common;
    const but =
      name === undefined ? '' : `; clients ignore the common name ${name}, so reissue it with this name there`;
    return `the certificate of ${subject} is for no DNS name (subjectAltName)${but}`;
  }
  // HAProxy would serve it for this name too, perhaps instead of the certificate that is for it.
  const foreign = common.find((name) => name.includes('.') && !names.dns.some((own) => coversHost(own, name)));
  if (foreign === undefined) return null;
  return `the certificate of ${subject} has the common name ${foreign}, which is not among its DNS names (subjectAltName); reissue it with this name there, or without it`;
}

/** `unused`: empty if it was uploaded earlier. */
export function warningsOf(of: Pick<Certificate, 'isSelfSigned' | 'keyType' | 'missing' | 'unused'>): string[] {
  const warnings: string[] = [];
  if (of.isSelfSigned) {
    warnings.push('The certificate is self-signed: clients accept it only where it was installed as trusted.');
  }
  if (of.keyType === 'Ed25519') {
    warnings.push('Browsers do not accept Ed25519 keys; use P-256 or RSA for sites that browsers open.');
  }
  if (of.missing !== null) {
    warnings.push(
      `The chain lacks the certificate of ${of.missing}: only clients that have it accept the certificate.`,
    );
  }
  if (of.unused.length > 0)
    warnings.push(`Left out, because the certificate does not need them: ${of.unused.join('; ')}.`);
  return warnings;
}

function certificatesOf(blocks: readonly PemBlock[]) {
  const certificates: X509Certificate[] = [];
  for (const { label, der, line } of blocks) {
    if (label.endsWith('PRIVATE KEY') || label === 'EC PARAMETERS') continue;
    if (label !== 'CERTIFICATE') return refused(`the block of line ${line} is ${quote(label)}, not a certificate`);
    try {
      const one = new X509Certificate(der);
      // It throws for a key of a kind that OpenSSL does not know.
      assert(one.publicKey.type === 'public');
      if (!certificates.some((other) => other.raw.equals(one.raw))) certificates.push(one);
    } catch (error) {
      return refused(`the certificate of line ${line} cannot be read (${opensslWords(error)})`);
    }
  }
  return certificates.length === 0 ? refused('there is no certificate in it') : parsed(certificates);
}

interface ReadKey {
  readonly key: KeyObject;
  readonly kind: Pick<Certificate, 'keyType' | 'keyBits'>;
}

function keyOf(blocks: readonly PemBlock[]) {
  const [block, another] = blocks.filter(({ label }) => label in KEY_ENCODINGS);
  if (block === undefined) {
    const other = blocks.find(({ label }) => label.endsWith('PRIVATE KEY'));
    if (other === undefined) return refused('there is no private key in it');
    return refused(
      `the block of line ${other.line} is ${quote(other.label)}; usable are ${usableKeys}, in PKCS #8 or PKCS #1`,
    );
  }
  if (another !== undefined) return refused('there is more than one private key in it');
  const type = KEY_ENCODINGS[block.label as keyof typeof KEY_ENCODINGS];
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: block.der, format: 'der', type });
  } catch (error) {
    return refused(`the private key of line ${block.line} cannot be read (${opensslWords(error)})`);
  }
  const kind = kindOf(key);
  if (kind === null) return refused(`the private key is ${keyText(key)}; usable are ${usableKeys}`);
  return parsed<ReadKey>({ key, kind });
}

function kindOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): ReadKey['kind'] | null {
  if (type === 'ed25519') return { keyType: 'Ed25519', keyBits: null };
  const curve = CURVES[details?.namedCurve as keyof typeof CURVES];
  if (type === 'ec' && curve !== undefined) return { keyType: curve, keyBits: null };
  const bits = details?.modulusLength ?? 0;
  return type === 'rsa' && bits >= LEAST_RSA_BITS ? { keyType: 'RSA', keyBits: bits } : null;
}

function keyText({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  if (type === 'rsa') return `RSA with ${details?.modulusLength} bits`;
  return type === 'ec' ? `of the curve ${details?.namedCurve}` : `of type ${type}`;
}

/** OpenSSL's code, which names no content. */
function opensslWords(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ?? 'not DER';
}

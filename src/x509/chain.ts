// Which certificates a server sends after its own.
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { nameText, subjectText } from './names.ts';

export interface Chain {
  /** From the issuer of the certificate on, without the root. */
  readonly links: readonly X509Certificate[];
  /** Where it ends, which clients have already; null: it is not among the certificates. */
  readonly root: X509Certificate | null;
  /** The issuer that clients need and do not have; null: none. Fit for a message. */
  readonly missing: string | null;
  /** What is wrong with a link, without which the chain is not complete; null: nothing. Fit for a message. */
  readonly fault: string | null;
}

const LEAST_RSA_BITS = 2048;

/**
 * The chain of `leaf`, as far as the certificates go. Where several issued one, as with cross-signed ones, one that is
 * valid and leads to a root is taken. A link with a fault ends the chain, if clients can do without it.
 */
export function chainOf(leaf: X509Certificate, certificates: readonly X509Certificate[], now: Date): Chain {
  const roots = certificates.filter((one) => one !== leaf && one.ca && isSignedByItself(one));
  const isAnchored = (one: X509Certificate): boolean =>
    [...roots, ...publicRoots()].some((root) => isIssuedBy(one, root));
  const faultOf = (one: X509Certificate): string | null => timeFault(one, now) ?? weakness(one);

  const links: X509Certificate[] = [];
  let complete = isAnchored(leaf);
  let fault: string | null = null;
  for (let last = leaf; ; last = links.at(-1)!) {
    const issuers = certificates.filter(
      (one) => one !== leaf && one.ca && !links.includes(one) && !roots.includes(one) && isIssuedBy(last, one),
    );
    // Of a cross-signed root the first signer may be forgotten already, while old clients need the link.
    const sound = issuers.filter((one) => faultOf(one) === null);
    const next = sound.find(isAnchored) ?? sound[0] ?? (complete ? undefined : issuers[0]);
    if (next === undefined) {
      const root = roots.find((one) => isIssuedBy(last, one)) ?? null;
      return { links, root, missing: complete ? null : nameText(last.issuer), fault };
    }
    links.push(next);
    fault ??= faultOf(next);
    complete ||= isAnchored(next);
  }
}

/** By the names and the signature: `checkIssued` requires the right to sign others, which such a certificate may lack. */
export function isSignedByItself(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey);
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

let known: readonly X509Certificate[] | null = null;

function publicRoots(): readonly X509Certificate[] {
  known ??= rootCertificates.map((pem) => new X509Certificate(pem));
  return known;
}

export function isValid({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now < validToDate;
}

/** Null: it is valid. Fit for a message. */
export function timeFault(certificate: X509Certificate, now: Date): string | null {
  const { validFromDate, validToDate } = certificate;
  if (validToDate <= now)
    return `the certificate of ${subjectText(certificate)} expired at ${validToDate.toISOString()}`;
  if (validFromDate > now) {
    return `the certificate of ${subjectText(certificate)} is not valid before ${validFromDate.toISOString()}`;
  }
  return null;
}

/** What OpenSSL refuses when HAProxy loads the file, at its usual security level. Null: nothing. Fit for a message. */
export function weakness(certificate: X509Certificate): string | null {
  const { signatureAlgorithm = '', publicKey } = certificate;
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? LEAST_RSA_BITS;
  const subject = subjectText(certificate);
  if (bits < LEAST_RSA_BITS) return `the certificate of ${subject} has an RSA key of only ${bits} bits`;
  // Of a certificate that signs itself the signature proves nothing.
  if (!/md5|sha1/i.test(signatureAlgorithm) || isSignedByItself(certificate)) return null;
  return `the certificate of ${subject} is signed with ${signatureAlgorithm}, which is no longer accepted`;
}

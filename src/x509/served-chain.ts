import { X509Certificate } from 'node:crypto';
import { proxySubject } from './names.ts';
import { parsePem } from './pem.ts';

/** What proves that a certificate and its chain are served. */
export interface ServedChain {
  /** SHA-256 of each, in the order in which clients get them: 64 hex digits, lower case. The first is the certificate. */
  readonly sha256s: readonly string[];
  /** Subjects of the others as HAProxy prints them. Empty: no chain. */
  readonly chainSubjects: readonly string[];
}

/** Of `Certificate.certificatesPem`. 0.1 ms. */
export function servedChain(certificatesPem: string): ServedChain {
  const blocks = parsePem(certificatesPem);
  if (!blocks.ok) throw new Error(`a stored certificate cannot be read: ${blocks.why}`);
  const certificates = blocks.value.map(({ der }) => new X509Certificate(der));
  return {
    sha256s: certificates.map(sha256Of),
    chainSubjects: certificates.slice(1).map(proxySubject),
  };
}

/** 64 hex digits, lower case. */
export function sha256Of({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(':', '').toLowerCase();
}

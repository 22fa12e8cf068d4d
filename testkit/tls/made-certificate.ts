// Certificates for tests: valid for a month, with a P-256 key; self-signed, or with a chain.
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { SecretText } from '../../src/secrets/secret-text.ts';
import type { CertificateToInstall } from '../../src/tls/installation.ts';
import { type Certificate, readCertificate } from '../../src/x509/certificate.ts';
import { issueCertificate, issueSelfSigned } from '../../src/x509/issue.ts';
import { servedChain } from '../../src/x509/served-chain.ts';

const DAY_MS = 86_400_000;

export interface MadeCertificate extends CertificateToInstall {
  /** As uploaded. */
  readonly certificate: string;
  readonly privateKey: string;
  readonly read: Certificate;
}

const validity = () => ({ notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 30 * DAY_MS) });
const p256 = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pemOfKey = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;

/**
 * @param chained issued by an intermediate of its own, whose root is not public
 * @param notBefore of a self-signed one
 */
export function madeCertificate(
  names: readonly string[],
  {
    id = 'c-aaaaaaaaaa',
    version = 1,
    chained = false,
    privateKey = p256().privateKey,
    notBefore = validity().notBefore,
  } = {},
): MadeCertificate {
  const certificate = chained
    ? chainFor(names, privateKey)
    : issueSelfSigned({ ...self(names, privateKey), notBefore });
  const key = pemOfKey(privateKey);
  const read = readCertificate({ certificate, privateKey: key }, { now: new Date(), allowIncompleteChain: true });
  if (!read.ok) throw new Error(read.why);
  const { certificatesPem, sha1 } = read.value;
  const pem = new SecretText(certificatesPem + read.privateKeyPem);
  const shown = { certificate, privateKey: read.privateKeyPem, read: read.value };
  return { id, version, names, pem, sha1, ...servedChain(certificatesPem), ...shown };
}

function self(names: readonly string[], privateKey: KeyObject) {
  return { commonName: names[0]!, privateKey, names, ...validity() };
}

function chainFor(names: readonly string[], privateKey: KeyObject): string {
  const root = p256();
  const middle = p256();
  const issuer = { commonName: 'Test root', privateKey: root.privateKey };
  const authority = { ...validity(), ca: true, extendedKeyUsage: [] };
  const publicKey = createPublicKey(privateKey);
  return [
    issueCertificate({
      commonName: names[0]!,
      publicKey,
      issuer: { commonName: 'Test intermediate', privateKey: middle.privateKey },
      names,
      ...validity(),
    }),
    issueCertificate({ commonName: 'Test intermediate', publicKey: middle.publicKey, issuer, ...authority }),
    issueSelfSigned({ commonName: 'Test root', privateKey: root.privateKey, ...authority }),
  ].join('');
}

/**
 * SHA-1 of the leaf that a TLS client sees, as HAProxy prints it; null: the handshake failed.
 * @param servername empty: none is sent
 * @param options a `socket` that is connected already, or the `host` to connect to; the protocol that has to be agreed on
 */
export function servedSha1(
  port: number,
  servername: string,
  { host = '127.0.0.1', protocol, ...options }: { host?: string; protocol?: string; socket?: Socket } = {},
): Promise<string | null> {
  return new Promise((resolve) => {
    const named = servername === '' ? {} : { servername };
    const agreed = protocol === undefined ? {} : { ALPNProtocols: [protocol] };
    const socket = connect({ host, port, ...options, ...named, ...agreed, rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      const isAgreed = protocol === undefined || socket.alpnProtocol === protocol;
      resolve(isAgreed ? (socket.getPeerX509Certificate()?.fingerprint.replaceAll(':', '') ?? null) : null);
      socket.destroy();
    });
    socket.once('error', () => resolve(null));
  });
}

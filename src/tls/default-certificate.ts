import { generateKeyPairSync } from 'node:crypto';
import { SecretText } from '../secrets/secret-text.ts';
import { issueSelfSigned } from '../x509/issue.ts';

/** No public name, so that no client takes it for the certificate of a site. */
const NAME = 'default.invalid';
const YEARS = 10;
const DAY_MS = 86_400_000;

/** Self-signed, P-256, for 10 years: HAProxy needs one to bind, and serves it for names without a certificate. */
export function makeDefaultCertificate(now: Date): SecretText {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const certificate = issueSelfSigned({
    commonName: NAME,
    privateKey,
    names: [NAME],
    // Clocks of clients differ.
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + YEARS * 365 * DAY_MS),
  });
  return new SecretText(certificate + (privateKey.export({ type: 'pkcs8', format: 'pem' }) as string));
}

import { generateKeyPairSync } from 'node:crypto';
import { issueSelfSigned } from '../../src/x509/issue.ts';

const dayMs = 86_400_000;

/** Certificate and key in one text, as HAProxy reads them. @param names the first is the common name */
export function selfSignedPem(...names: readonly [string, ...string[]]): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const certificate = issueSelfSigned({
    commonName: names[0],
    privateKey,
    names,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + 30 * dayMs),
  });
  return certificate + (privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
}

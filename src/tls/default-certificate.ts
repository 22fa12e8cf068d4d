import { generateKeyPairSync } from 'node:crypto';
import { SecretText } from '../secrets/secret-text.ts';
import { causeText } from '../telemetry/cause-text.ts';
import type { Log } from '../telemetry/log.ts';
import { issueSelfSigned } from '../x509/issue.ts';
import type { TlsFiles } from './files.ts';

/** No public name, so that no client takes it for the certificate of a site. */
const NAME = 'default.invalid';
const YEARS = 10;
const DAY_MS = 86_400_000;

/** HAProxy needs one to bind, and serves it for names without a certificate. */
export function makeDefaultCertificate(now: Date): SecretText {
  return makeSelfSigned(NAME, now);
}

/** Certificate and key, P-256, for 10 years. */
export function makeSelfSigned(name: string, now: Date): SecretText {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const certificate = issueSelfSigned({
    commonName: name,
    privateKey,
    names: [name],
    // Clocks of clients differ.
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + YEARS * 365 * DAY_MS),
  });
  return new SecretText(certificate + (privateKey.export({ type: 'pkcs8', format: 'pem' }) as string));
}

interface Deps {
  readonly files: Pick<TlsFiles, 'ensureDefault' | 'replaceDefault' | 'defaultCertificate'>;
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly now: () => Date;
}

/** Makes the file if it is missing, and returns whether it did; one of an operator stays. @throws system errors */
export async function ensureDefaultCertificate({ files, log, now }: Deps): Promise<boolean> {
  if (!(await files.ensureDefault(() => makeDefaultCertificate(now())))) return false;
  log.info('Default certificate created', { file: files.defaultCertificate });
  return true;
}

/** One that HAProxy refuses is kept under another name. False: it could not be replaced. Never throws. */
export async function replaceDefaultCertificate({ files, log, now }: Deps, why: string): Promise<boolean> {
  try {
    const kept = await files.replaceDefault(() => makeDefaultCertificate(now()));
    log.error('HAProxy refuses the default certificate; a new one takes its place', { why, kept });
    return true;
  } catch (error) {
    log.error('The default certificate, which HAProxy refuses, could not be replaced', { cause: causeText(error) });
    return false;
  }
}

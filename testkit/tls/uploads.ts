import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { CertificateInstaller, CertificateToInstall, Installation } from '../../src/tls/installation.ts';
import { issueSelfSigned } from '../../src/x509/issue.ts';

const DAY = 86_400_000;

export function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
}

/** `lasts` in days. */
export function selfSigned(names: readonly string[], { now = new Date(), lasts = 90, privateKey = newKey() } = {}) {
  const certificate = issueSelfSigned({
    commonName: 'own',
    privateKey,
    names,
    notBefore: new Date(now.getTime() - DAY),
    notAfter: new Date(now.getTime() + lasts * DAY),
  });
  return { certificate, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

export const INSTALLED: Installation = {
  files: 'durable',
  workers: [{ pid: 812, role: 'current', holds: true, reason: null, notAfter: null }],
  runtimeUpdated: true,
  handshake: 'seen',
  handshakeReason: null,
  reloadScheduled: false,
};

/** Keeps what it was given, like files and workers. */
export class FakeInstaller implements CertificateInstaller {
  readonly holds = new Map<string, CertificateToInstall>();
  /** Ids of the files that there are. */
  readonly files = new Set<string>();
  readonly calls: string[] = [];
  /** Whether a file can be deleted. */
  deletes = true;
  kept: string[] = [];
  failure: Error | null = null;
  /** What it reports. */
  report: Installation = INSTALLED;
  /** Called before each call takes effect. */
  meanwhile: () => Promise<void> = async () => undefined;

  async install(certificate: CertificateToInstall): Promise<Installation> {
    this.calls.push(`install ${certificate.names.join()}`);
    await this.meanwhile();
    if (this.failure !== null) throw this.failure;
    this.holds.set(certificate.id, certificate);
    this.files.add(certificate.id);
    return this.report;
  }

  async remove(id: string): Promise<Installation> {
    this.calls.push('remove');
    await this.meanwhile();
    if (this.failure !== null) throw this.failure;
    this.holds.delete(id);
    return this.report;
  }

  async deleteFile(id: string): Promise<boolean> {
    this.calls.push('delete file');
    this.files.delete(id);
    return this.deletes;
  }

  keptFiles(): readonly string[] {
    return this.kept;
  }

  async relist(id: string): Promise<void> {
    this.calls.push(`relist ${id}`);
  }

  held(id: string): Installation | null {
    return this.holds.has(id) ? this.report : null;
  }

  whyNotServed(id: string): string | null {
    return this.holds.has(id) ? null : 'it is not installed';
  }
}

/** Parts of the private number of a key that an output shows. */
export function shownKeyParts(privateKeyPem: string, output: string): string[] {
  const base64 = privateKeyPem.replace(/-----.*-----|\n/g, '');
  const parts: string[] = [];
  // What is before it is the same for every P-256 key, what is after it is public.
  for (let at = 48; at + 24 <= 90; at += 1) {
    const part = base64.slice(at, at + 24);
    if (output.includes(part)) parts.push(part);
  }
  return parts;
}

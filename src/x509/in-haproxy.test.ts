// What this folder says of HAProxy, on each version.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../testkit/free-port.ts';
import { describeOnEachProxy } from '../../testkit/proxies.ts';
import { defaultConfig, RealProxy } from '../../testkit/real-proxy.ts';
import { type Certificate, readCertificate } from './certificate.ts';
import { issueCertificate, issueSelfSigned } from './issue.ts';
import { servedChain } from './served-chain.ts';

const DAY = 86_400_000;
const times = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + 30 * DAY) };
const p256 = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pemOfKey = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;

const odd = 'A, B+c "x" <Zürich> \\; = #1';
const rootKeys = p256();
const root = issueSelfSigned({ commonName: 'Root', privateKey: rootKeys.privateKey, ...times, ca: true });
const middleKeys = p256();
const middle = issueCertificate({
  commonName: odd,
  publicKey: middleKeys.publicKey,
  issuer: { commonName: 'Root', privateKey: rootKeys.privateKey },
  ...times,
  ca: true,
  extendedKeyUsage: [],
});

function issued(name: string, kind: 'ec' | 'ed25519' = 'ec'): { file: string; read: Certificate } {
  const { publicKey, privateKey } = kind === 'ec' ? p256() : generateKeyPairSync('ed25519');
  const leaf = issueCertificate({
    commonName: '',
    publicKey,
    issuer: { commonName: odd, privateKey: middleKeys.privateKey },
    names: [name],
    ...times,
  });
  const result = readCertificate(
    { certificate: root + middle + leaf, privateKey: pemOfKey(privateKey) },
    { now: new Date() },
  );
  if (!result.ok) throw new Error(result.why);
  return { file: result.value.certificatesPem + result.privateKeyPem, read: result.value };
}

/** A self-signed certificate that `readCertificate` may refuse. */
function plain(commonName: string, names: readonly string[]): string {
  const { privateKey } = p256();
  return issueSelfSigned({ commonName, privateKey, names, ...times }) + pemOfKey(privateKey);
}

const chained = issued('chained.example');
const edwards = issued('edwards.example', 'ed25519');

describeOnEachProxy('HAProxy', ({ bin }) => {
  let proxy: RealProxy;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    proxy = await RealProxy.start(bin, {
      config: (paths) => {
        const put = (name: string, content: string): string => {
          const path = join(paths.folder, name);
          writeFileSync(path, content);
          return path;
        };
        const fallback = put('default.pem', plain('default.invalid', ['default.invalid']));
        const list = put(
          'certificates.list',
          [
            put('chained.pem', chained.file),
            put('edwards.pem', edwards.file),
            put('common.pem', plain('common.example', ['other.example'])),
            put('only.pem', plain('only.example', [])),
            '',
          ].join('\n'),
        );
        return `${defaultConfig(paths)}  bind 127.0.0.1:${port} ssl crt ${fallback} crt-list ${list}\n`;
      },
    });
  });
  afterAll(() => proxy?.stop());

  async function servedFor(servername: string) {
    const client = connectTls({ port, host: '127.0.0.1', servername, rejectUnauthorized: false });
    await once(client, 'secureConnect');
    const certificate = client.getPeerX509Certificate()!;
    client.destroy();
    return certificate;
  }

  async function shown(name: string): Promise<string> {
    const socket = connect(proxy.paths.statsSocket);
    socket.write(`show ssl cert ${join(proxy.paths.folder, name)}\n`);
    return await text(socket);
  }

  it('serves a certificate for its common name too, and alone', async () => {
    expect((await servedFor('common.example')).subject).toBe('CN=common.example');
    expect((await servedFor('other.example')).subject).toBe('CN=common.example');
    expect((await servedFor('only.example')).subject).toBe('CN=only.example');
    expect((await servedFor('unknown.example')).subject).toBe('CN=default.invalid');
  });

  it('prints fingerprint and subject of the chain as the certificate has them', async () => {
    const lines = (await shown('chained.pem')).split('\n');
    expect(lines).toContain(`SHA1 FingerPrint: ${chained.read.sha1}`);
    expect(lines).toContain(`Chain Subject: ${servedChain(chained.read.certificatesPem).chainSubjects[0]}`);
  });

  it('serves P-256 and Ed25519 keys', async () => {
    for (const { read } of [chained, edwards]) {
      expect((await servedFor(read.names[0]!)).fingerprint.replaceAll(':', '')).toBe(read.sha1);
    }
  });
});

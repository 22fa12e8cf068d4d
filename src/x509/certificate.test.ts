import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { type Certificate, readCertificate } from './certificate.ts';
import { issueCertificate, issueSelfSigned } from './issue.ts';
import { pemOf } from './pem.ts';
import { servedChain } from './served-chain.ts';

const now = new Date('2026-06-01T00:00:00Z');
const valid = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2027-01-01T00:00:00Z') };

const p256 = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;

const rootKeys = p256();
const root = issueSelfSigned({ commonName: 'Root', privateKey: rootKeys.privateKey, ...valid, ca: true });
const middleKeys = p256();
const middle = issueCertificate({
  commonName: 'Middle',
  publicKey: middleKeys.publicKey,
  issuer: { commonName: 'Root', privateKey: rootKeys.privateKey },
  ...valid,
  ca: true,
  extendedKeyUsage: [],
});
const keys = p256();
type LeafOptions = Partial<Parameters<typeof issueCertificate>[0]>;

function leafOf(options: LeafOptions = {}): string {
  return issueCertificate({
    commonName: 'shop',
    publicKey: keys.publicKey,
    issuer: { commonName: 'Middle', privateKey: middleKeys.privateKey },
    names: ['shop.example.com', '*.Example.com'],
    ...valid,
    ...options,
  });
}

const leaf = leafOf();
const key = pkcs8(keys.privateKey);

function read(certificate: string, privateKey?: string, allowIncompleteChain = false) {
  return readCertificate({ certificate, privateKey }, { now, allowIncompleteChain });
}

function accepted(...given: Parameters<typeof read>) {
  const result = read(...given);
  if (!result.ok) throw new Error(result.why);
  return result.value;
}

function refused(...given: Parameters<typeof read>) {
  const result = read(...given);
  if (result.ok) throw new Error('accepted');
  return result;
}

test('sorts certificate and chain, and leaves the root out', () => {
  const sorted = accepted(root + middle + leaf, key);
  expect(sorted.certificatesPem).toBe(leaf + middle);
  expect(sorted).toMatchObject({
    names: ['shop.example.com', '*.example.com'],
    keyType: 'P-256',
    keyBits: null,
    notAfter: valid.notAfter,
    subject: 'CN=shop',
    issuer: 'CN=Middle',
    chain: ['CN=Middle'],
    unused: [],
    missing: null,
    isSelfSigned: false,
  });
});

test('takes the key from the same text, in each encoding', () => {
  const encodings = [key, keys.privateKey.export({ type: 'sec1', format: 'pem' }) as string];
  for (const one of encodings) expect(read(one + leaf + middle + root)).toMatchObject({ ok: true, privateKeyPem: key });
});

test('names a certificate that belongs to nothing', () => {
  const unrelated = issueSelfSigned({ commonName: 'Unrelated', privateKey: p256().privateKey, ...valid });
  expect(accepted(leaf + middle + root + unrelated, key).unused).toEqual(['CN=Unrelated']);
});

test('reports a chain that is not complete, and accepts it only if that is allowed', () => {
  expect(refused(leaf, key)).toMatchObject({
    part: 'certificate',
    why: expect.stringContaining('CN=Middle is missing'),
  });
  expect(refused(leaf + middle, key).why).toContain('CN=Root is missing');
  expect(accepted(leaf, key, true)).toMatchObject({ missing: 'CN=Middle', certificatesPem: leaf });
});

test('believes no chain by its names alone', () => {
  const impostor = issueCertificate({
    commonName: 'Middle',
    publicKey: p256().publicKey,
    issuer: { commonName: 'Root', privateKey: rootKeys.privateKey },
    ...valid,
    ca: true,
  });
  expect(refused(leaf + impostor + root, key).why).toContain('CN=Middle is missing');
});

test('a self-signed certificate is its own chain, of an authority or not', () => {
  for (const ca of [true, false]) {
    const own = issueSelfSigned({
      commonName: 'own',
      privateKey: keys.privateKey,
      names: ['own.example'],
      ...valid,
      ca,
    });
    expect(accepted(own, key)).toMatchObject({ isSelfSigned: true, missing: null, chain: [], certificatesPem: own });
  }
});

test('takes the renewed of two certificates of one key', () => {
  const old = leafOf({ commonName: 'old', notAfter: new Date('2026-05-01T00:00:00Z') });
  expect(accepted(old + leaf + middle + root, key)).toMatchObject({ subject: 'CN=shop', unused: ['CN=old'] });
});

test('accepts the usual keys, and refuses weak and unusual ones', () => {
  const kinds: [ReturnType<typeof p256>, unknown][] = [
    [generateKeyPairSync('rsa', { modulusLength: 2048 }), { keyType: 'RSA', keyBits: 2048 }],
    [generateKeyPairSync('ec', { namedCurve: 'secp384r1' }), { keyType: 'P-384' }],
    [generateKeyPairSync('ed25519'), { keyType: 'Ed25519' }],
    [generateKeyPairSync('rsa', { modulusLength: 1024 }), 'RSA with 1024 bits'],
    [generateKeyPairSync('ec', { namedCurve: 'secp256k1' }), 'of the curve secp256k1'],
  ];
  for (const [pair, wanted] of kinds) {
    const own = issueSelfSigned({ commonName: 'x', privateKey: pair.privateKey, names: ['x.example'], ...valid });
    const result = read(own, pkcs8(pair.privateKey));
    if (typeof wanted !== 'string') expect(result.ok && result.value).toMatchObject(wanted as object);
    else expect(result).toMatchObject({ ok: false, part: 'privateKey', why: expect.stringContaining(wanted) });
  }
});

const refusals: readonly [what: string, certificate: string, privateKey: string | undefined, wanted: object][] = [
  [
    'another key',
    leaf + middle + root,
    pkcs8(p256().privateKey),
    {
      part: 'privateKey',
      why: expect.stringContaining('belongs to none of the certificates (CN=shop; CN=Middle; CN=Root)'),
    },
  ],
  ['no key', leaf + middle + root, undefined, { part: 'certificate', why: 'there is no private key in it' }],
  ['two keys', leaf + key, key, { part: 'privateKey', why: expect.stringContaining('more than one') }],
  ['no certificate', key, undefined, { part: 'certificate', why: 'there is no certificate in it' }],
  ['a certificate with the key', leaf + middle + root, key + middle, { part: 'privateKey' }],
  [
    'a request',
    pemOf('CERTIFICATE REQUEST', Buffer.alloc(9)) + leaf,
    key,
    { why: 'the block of line 1 is "CERTIFICATE REQUEST", not a certificate' },
  ],
  [
    'a certificate that is none',
    pemOf('CERTIFICATE', Buffer.alloc(50, 1)),
    key,
    { part: 'certificate', why: expect.stringContaining('line 1 cannot be read') },
  ],
  [
    'a key that is none',
    leaf + middle + root,
    pemOf('PRIVATE KEY', Buffer.alloc(50, 1)),
    { part: 'privateKey', why: expect.stringContaining('line 1 cannot be read') },
  ],
  [
    'no name',
    leafOf({ names: [], commonName: 'My shop' }) + middle + root,
    key,
    { part: 'certificate', why: 'the certificate of "CN=My shop" is for no DNS name (subjectAltName)' },
  ],
  [
    'a common name alone, which HAProxy would serve',
    leafOf({ names: [], commonName: 'Shop.example.com' }) + middle + root,
    key,
    { part: 'certificate', why: expect.stringContaining('clients ignore the common name shop.example.com') },
  ],
  [
    'a common name that is not among the names, which HAProxy would serve too',
    leafOf({ commonName: 'bank.example.net' }) + middle + root,
    key,
    { part: 'certificate', why: expect.stringContaining('has the common name bank.example.net, which is not among') },
  ],
  [
    'a certificate for clients',
    leafOf({ extendedKeyUsage: ['1.3.6.1.5.5.7.3.2'] }) + middle + root,
    key,
    { why: expect.stringContaining('not for servers') },
  ],
  [
    'an expired one',
    leafOf({ notAfter: now }) + middle + root,
    key,
    { why: expect.stringContaining('CN=shop expired at 2026-06-01T00:00:00.000Z') },
  ],
  [
    'one of the future',
    leafOf({ notBefore: new Date('2026-06-02T00:00:00Z') }) + middle + root,
    key,
    { why: expect.stringContaining('is not valid before 2026-06-02') },
  ],
];

test.each(refusals)('refuses %s, and says what is wrong', (_, certificate, privateKey, wanted) => {
  expect(refused(certificate, privateKey)).toMatchObject(wanted);
});

const expired = { notBefore: valid.notBefore, notAfter: new Date('2026-05-01T00:00:00Z') };

/** Another certificate of the intermediate authority: without a choice, from the same root. */
function middleOf(options: LeafOptions): string {
  return issueCertificate({
    commonName: 'Middle',
    publicKey: middleKeys.publicKey,
    issuer: { commonName: 'Root', privateKey: rootKeys.privateKey },
    ...valid,
    ca: true,
    extendedKeyUsage: [],
    ...options,
  });
}

describe('a chain', () => {
  const oldRootKeys = p256();
  const ofOldRoot = { commonName: 'Old root', privateKey: oldRootKeys.privateKey };
  /** The root as an older root signed it. */
  const crossSigned = (options: LeafOptions = {}) =>
    middleOf({ commonName: 'Root', publicKey: rootKeys.publicKey, issuer: ofOldRoot, ...options });

  test('with an expired link is refused, and the link named', () => {
    expect(refused(leaf + middleOf(expired) + root, key)).toMatchObject({
      part: 'certificate',
      why: expect.stringContaining('CN=Middle expired'),
    });
  });

  test('with the expired and the renewed link takes the renewed one', () => {
    for (const links of [middleOf(expired) + middle, middle + middleOf(expired)]) {
      expect(accepted(leaf + links + root, key)).toMatchObject({
        certificatesPem: leaf + middle,
        unused: ['CN=Middle'],
      });
    }
  });

  test('keeps a cross-signed root for clients that know only the older root', () => {
    const cross = crossSigned();
    expect(accepted(leaf + middle + cross + root, key)).toMatchObject({
      certificatesPem: leaf + middle + cross,
      missing: null,
    });
  });

  test('goes without a cross-signed root that expired or is weak, where it is complete without it', () => {
    const weakKeys = generateKeyPairSync('rsa', { modulusLength: 1024 });
    for (const cross of [
      crossSigned(expired),
      crossSigned({ digest: 'sha1' }),
      crossSigned({ issuer: { commonName: 'Old root', privateKey: weakKeys.privateKey }, ...expired }),
    ]) {
      expect(accepted(leaf + middle + cross + root, key)).toMatchObject({
        certificatesPem: leaf + middle,
        missing: null,
        unused: ['CN=Root'],
        warnings: [expect.stringContaining('Left out, because the certificate does not need them: CN=Root')],
      });
      expect(refused(leaf + middle + cross, key).why).toMatch(/CN=Root (expired|is signed)/);
    }
  });

  test('takes the issuer that leads to a root', () => {
    const elsewhere = middleOf({ issuer: ofOldRoot });
    for (const links of [elsewhere + middle, middle + elsewhere]) {
      expect(accepted(leaf + links + root, key)).toMatchObject({ certificatesPem: leaf + middle, missing: null });
    }
  });

  test('with certificates that issued each other ends', () => {
    const [a, b] = [p256(), p256()];
    const ring = [
      middleOf({
        commonName: 'A',
        publicKey: a.publicKey,
        issuer: { commonName: 'B', privateKey: b.privateKey },
      }),
      middleOf({ commonName: 'B', publicKey: b.publicKey, issuer: { commonName: 'A', privateKey: a.privateKey } }),
    ];
    const own = leafOf({ issuer: { commonName: 'A', privateKey: a.privateKey } });
    expect(refused(own + ring.join(''), key).why).toContain('CN=A is missing');
  });

  test('with a weak key or signature is refused, and the link named', () => {
    const weakKeys = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const ofWeak = leafOf({ issuer: { commonName: 'Middle', privateKey: weakKeys.privateKey } });
    expect(refused(ofWeak + middleOf({ publicKey: weakKeys.publicKey }) + root, key).why).toBe(
      'the certificate of CN=Middle has an RSA key of only 1024 bits',
    );
    expect(refused(leaf + middleOf({ digest: 'sha1' }) + root, key).why).toBe(
      'the certificate of CN=Middle is signed with ecdsa-with-SHA1, which is no longer accepted',
    );
    expect(refused(leafOf({ digest: 'sha1' }) + middle + root, key).why).toContain('CN=shop is signed with');
  });

  test('names its subjects as HAProxy prints them', () => {
    const subjects = ({ certificatesPem }: Certificate) => servedChain(certificatesPem).chainSubjects;
    expect(subjects(accepted(leaf + middle + root, key))).toEqual(['/CN=Middle']);
    const odd = middleOf({ commonName: 'A, B+c "x" <Zürich> \\; = #1 ' });
    const own = leafOf({ issuer: { commonName: 'A, B+c "x" <Zürich> \\; = #1 ', privateKey: middleKeys.privateKey } });
    expect(subjects(accepted(own + odd + root, key))).toEqual(['/CN=A, B+c "x" <Zürich> \\; = #1 ']);
  });
});

test('a self-signed certificate is accepted whatever its key may be used for', () => {
  for (const keyUsage of ['digitalSignature', 'keyCertSign'] as const) {
    for (const ca of [true, false]) {
      const own = issueSelfSigned({
        commonName: 'own',
        privateKey: keys.privateKey,
        names: ['own.example'],
        ...valid,
        ca,
        keyUsage,
        extendedKeyUsage: [],
        digest: 'sha1',
      });
      expect(accepted(own, key)).toMatchObject({
        isSelfSigned: true,
        missing: null,
        warnings: [expect.stringContaining('self-signed')],
      });
    }
  }
});

test('warns of what browsers do not accept', () => {
  const pair = generateKeyPairSync('ed25519');
  const own = leafOf({ publicKey: pair.publicKey });
  expect(accepted(own + middle + root, pkcs8(pair.privateKey)).warnings).toEqual([
    'Browsers do not accept Ed25519 keys; use P-256 or RSA for sites that browsers open.',
  ]);
  expect(accepted(leaf + middle + root, key).warnings).toEqual([]);
  expect(accepted(leaf, key, true).warnings).toEqual([expect.stringContaining('The chain lacks')]);
});

test('clients accept what it made of an upload', async () => {
  const present = { notBefore: new Date(Date.now() - 86_400_000), notAfter: new Date(Date.now() + 86_400_000) };
  const authority = p256();
  const ca = issueSelfSigned({
    commonName: 'Trial',
    privateKey: authority.privateKey,
    ...present,
    ca: true,
    extendedKeyUsage: [],
  });
  const own = issueCertificate({
    commonName: '',
    publicKey: keys.publicKey,
    issuer: { commonName: 'Trial', privateKey: authority.privateKey },
    names: ['*.shop.example'],
    ...present,
  });
  const read = readCertificate({ certificate: ca + own, privateKey: key }, { now: new Date() });
  if (!read.ok) throw new Error(read.why);
  const server = createServer({ cert: read.value.certificatesPem, key: read.privateKeyPem }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', servername: 'a.shop.example', ca });
  await once(client, 'secureConnect');
  expect(client.authorized).toBe(true);
  expect(client.getPeerX509Certificate()?.fingerprint.replaceAll(':', '')).toBe(read.value.sha1);
  client.destroy();
  server.close();
});

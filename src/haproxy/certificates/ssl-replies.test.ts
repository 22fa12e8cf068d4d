// Replies as HAProxy writes them; runtime-certificates.test.ts gets them from each version.
import { describe, expect, it } from 'vitest';
import { difference } from './runtime-certificates.ts';
import {
  type HeldCertificate,
  isGoodAbort,
  isGoodListing,
  isGoodNew,
  isGoodRemoval,
  isGoodUnlisting,
  isUnknownList,
  parseCertificate,
  parseCommit,
  parseList,
  parseNames,
  parseOngoing,
  parseSet,
} from './ssl-replies.ts';

const F = '/etc/proxy/tls/c-aaaaaaaaaa.pem';
const L = '/etc/proxy/tls/certificates.list';
const unknown = "Unknown command: 'show ssl cert', but maybe one of the following ones is a better match:\n  help";

describe('the names of certificates', () => {
  it.each([
    ['', { transaction: null, files: [] }],
    ['# filename', { transaction: null, files: [] }],
    [`# filename\n${F}\n/b.pem`, { transaction: null, files: [F, '/b.pem'] }],
    [`# filename\n${F}\ncerts/theirs.pem\n@store/a`, { transaction: null, files: [F, 'certs/theirs.pem', '@store/a'] }],
    [`# transaction\n*${F}\n# filename\n${F}`, { transaction: F, files: [F] }],
    [unknown, null],
    [`# transaction\n${F}\n# filename`, null],
    ["Can't show!\nOperations on certificates are currently locked!", null],
  ])('%j', (body, names) => expect(parseNames(body)).toEqual(names));
});

describe('a certificate', () => {
  const lines = [
    `Filename: ${F}`,
    `Crt filename: ${F}`,
    'Status: Used',
    'Serial: 01',
    'notBefore: Nov 21 07:34:15 2026 GMT',
    'notAfter: Dec  2 07:34:15 2026 GMT',
    'Subject Alternative Name: DNS:a.example',
    'Algorithm: EC256',
    'SHA1 FingerPrint: 00112233445566778899AABBCCDDEEFF00112233',
    'Subject: /CN=a.example',
    'Issuer: /CN=E8',
    'Chain Subject: /CN=E8',
    'Chain Issuer: /CN=X1',
    'Chain Subject: /CN=X1',
    'OCSP Response Key: ',
  ];
  const without = (name: string) => lines.filter((line) => !line.startsWith(name)).join('\n');

  it('is read by the names of its lines', () => {
    const held = {
      file: F,
      status: 'Used',
      sha1: '00112233445566778899AABBCCDDEEFF00112233',
      chainSubjects: ['/CN=E8', '/CN=X1'],
      notAfter: '2026-12-02T07:34:15.000Z',
    };
    expect(parseCertificate(lines.join('\n'))).toEqual(held);
    expect(parseCertificate(without('Chain'))).toEqual({ ...held, chainSubjects: [] });
    expect(parseCertificate(`Filename: ${F}\nStatus: Empty`)).toMatchObject({ status: 'Empty', sha1: null });
  });

  it('is another one if any certificate of its chain differs', () => {
    const held = parseCertificate(lines.join('\n')) as HeldCertificate;
    const { sha1 } = held as { sha1: string };
    expect(difference(held, { sha1, chainSubjects: ['/CN=E8', '/CN=X1'] })).toBeNull();
    expect(difference(held, { sha1, chainSubjects: ['/CN=E8', '/CN=X2'] })).toBe('it has another chain');
    expect(difference(held, { sha1, chainSubjects: ['/CN=E8'] })).toBe('it has another chain');
  });

  it('without a line that says what is held is unknown', () => {
    for (const name of ['Filename', 'Status', 'SHA1', 'notAfter']) expect(parseCertificate(without(name))).toBeNull();
    expect(parseCertificate(lines.join('\n').replace('Status: Used', 'Status: Uncommitted'))).toBeNull();
    expect(parseCertificate(unknown)).toBeNull();
  });

  it('that is not loaded is absent', () => {
    const body = "Can't display the certificate: Not found or the certificate is a bundle!";
    expect(parseCertificate(body)).toBe('absent');
  });
});

describe('a success', () => {
  it('names the file in whose transaction the certificate is', () => {
    expect(parseSet(`Transaction created for certificate ${F}!`)).toBe(F);
    expect(parseSet('Transaction updated for certificate /other.pem!')).toBe('/other.pem');
    expect(
      parseSet(`Can't replace a certificate which is not referenced by the configuration!\nCan't update ${F}!`),
    ).toBe(null);
  });

  it.each([
    [`Committing ${F}...\nSuccess!`, 3],
    [`Committing ${F}\nSuccess!`, 0],
    [`Committing ${F}.\na warning\nSuccess!`, 1],
    [`Committing ${F}.\nunable to load SSL certificate\nFailed!`, null],
    [`Committing ${F}x.\nSuccess!`, null],
    [`No ongoing transaction! !\nCan't commit ${F}!`, null],
    ['Success!', null],
    ['', null],
  ])('of commit: %j', (body, dots) => expect(parseCommit(body, F)).toBe(dots));

  it('of the others names the file too', () => {
    expect(isGoodNew(`New empty certificate store '${F}'!`, F)).toBe(true);
    expect(isGoodNew(`Certificate '${F}' already exists!`, F)).toBe(true);
    expect(isGoodAbort(`Transaction aborted for certificate '${F}'!`, F)).toBe(true);
    expect(isGoodAbort('No ongoing transaction!', F)).toBe(true);
    expect(isGoodListing(`Inserting certificate '${F}' in crt-list '${L}'.\nSuccess!`, L, F)).toBe(true);
    expect(isGoodUnlisting(`Entry '${F}' deleted in crtlist '${L}'!`, L, F)).toBe(true);
    expect(isGoodRemoval(`Certificate '${F}' deleted!`, F)).toBe(true);
    for (const body of ['', 'Success!', unknown, `Inserting certificate '${F}' in crt-list '${L}'.\nFailed!`]) {
      expect([isGoodNew(body, F), isGoodAbort(body, F), isGoodListing(body, L, F)]).toEqual([false, false, false]);
      expect([isGoodUnlisting(body, L, F), isGoodRemoval(body, F)]).toEqual([false, false]);
    }
    for (const body of [`New empty certificate store '/x'!`, `Certificate '/x' deleted!`]) {
      expect(isGoodNew(body, F) || isGoodRemoval(body, F)).toBe(false);
    }
  });
});

it('another transaction, and an unknown list, are recognized', () => {
  const ongoing = `The ongoing transaction is about '/a.pem' but you are trying to set '${F}'\nCan't update ${F}!`;
  expect(parseOngoing(ongoing)).toBe('/a.pem');
  expect(parseOngoing('Success!')).toBeNull();
  expect(isUnknownList("didn't find the specified filename")).toBe(true);
  expect(isUnknownList(`# ${L}`)).toBe(false);
});

it('the entries of a list have their line numbers', () => {
  expect(parseList(`# ${L}`, L)).toEqual([]);
  expect(parseList(`# ${L}\n${F}:1\n/a:b.pem:12 [alpn h2\0 …] a.example !b.example`, L)).toEqual([
    { file: F, line: 1 },
    { file: '/a:b.pem', line: 12 },
  ]);
  expect(parseList(`# /other.list\n${F}:1`, L)).toBeNull();
  expect(parseList(`# ${L}\n${F}`, L)).toBeNull();
});

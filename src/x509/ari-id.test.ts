import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import { ariId } from './ari-id.ts';
import * as der from './der.ts';
import { issueSelfSigned } from './issue.ts';
import { pemOf } from './pem.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const ecdsa = der.sequence(der.oid('1.2.840.10045.4.3.2'));
const name = der.sequence(der.set(der.sequence(der.oid('2.5.4.3'), der.utf8('example.com'))));
const dates = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2027-01-01T00:00:00Z') };

it('is the key of the issuer and the serial number with its leading zero, as in RFC 9773', () => {
  const keyIdentifier = Buffer.from('69885b6b87464041e1b37b847ba0ae2cde01c8d4', 'hex');
  const tbs = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(Buffer.from('87654321', 'hex')),
    ecdsa,
    name,
    der.sequence(der.time(dates.notBefore), der.time(dates.notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(
      3,
      der.sequence(
        der.sequence(der.oid('2.5.29.19'), der.octetString(der.sequence())),
        der.sequence(der.oid('2.5.29.35'), der.octetString(der.sequence(der.implicit(0, keyIdentifier)))),
      ),
    ),
  );
  const certificate = der.sequence(tbs, ecdsa, der.bitString(sign('sha256', tbs, privateKey)));
  expect(ariId(pemOf('CERTIFICATE', certificate))).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
});

it('is absent for a certificate that names no key of its issuer', () => {
  expect(ariId(issueSelfSigned({ commonName: 'a.example', names: ['a.example'], privateKey, ...dates }))).toBeNull();
});

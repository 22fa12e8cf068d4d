import { randomBytes } from 'node:crypto';
import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CannotUnseal, SECRET_LENGTH, type SealedFor, Sealer } from './sealed.ts';
import { SecretText } from './secret-text.ts';

const secret = randomBytes(SECRET_LENGTH);
const sealer = new Sealer(secret);
const row: SealedFor = { table: 'certificate_versions', id: 'c-aaaaaaaaaa/1', publicKeySha256: 'ab'.repeat(32) };
const key = `-----BEGIN PRIVATE KEY-----\n${randomBytes(120).toString('base64')}\n-----END PRIVATE KEY-----\n`;
const sealed = sealer.seal(new SecretText(key), row);

function refusal(bytes: Uint8Array, of: SealedFor = row, by = sealer): CannotUnseal {
  try {
    by.open(bytes, of);
  } catch (error) {
    if (error instanceof CannotUnseal) return error;
    throw error;
  }
  throw new Error('opened');
}

describe('a sealed key', () => {
  it('is opened with the same secret for the same row', () => {
    expect(sealer.open(sealed, row).reveal()).toBe(key);
    expect(new Sealer(Buffer.from(secret)).open(new Uint8Array(sealed), row).reveal()).toBe(key);
    expect(sealer.open(sealer.seal(new SecretText(''), row), row).reveal()).toBe('');
  });

  it('has another nonce each time, and contains nothing of the key', () => {
    const nonces = Array.from({ length: 50 }, () => sealer.seal(new SecretText(key), row).toString('hex').slice(2, 26));
    expect(new Set(nonces).size).toBe(50);
    expect(sealed.includes('PRIVATE')).toBe(false);
    expect(sealed.length).toBe(1 + 12 + Buffer.byteLength(key) + 16);
  });

  it.each([
    ['another table', { ...row, table: 'acme_accounts' }],
    ['another row', { ...row, id: 'c-aaaaaaaaaa/2' }],
    ['another public key', { ...row, publicKeySha256: 'cd'.repeat(32) }],
  ])('is not opened for %s', (_what, of) => {
    expect(refusal(sealed, of).message).toContain(
      `the private key of ${of.id} (table ${of.table}) cannot be read: it was sealed with another secret`,
    );
  });

  it('is not opened with another secret', () => {
    expect(refusal(sealed, row, new Sealer(randomBytes(SECRET_LENGTH))).message).toContain('put the secret file');
  });

  it('is not opened if any byte was changed, or if it was cut', () => {
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = changed[at]! ^ 1;
      expect(refusal(changed).message).not.toContain(key.slice(28, 60));
    }
    for (const length of [0, 1, 28, sealed.length - 1]) refusal(sealed.subarray(0, length));
    expect(refusal(sealed.subarray(0, 5)).message).toContain('it was cut');
  });
});

it('neither key nor secret is shown in a message, JSON or inspect', () => {
  const text = new SecretText(key);
  const error = refusal(sealed, { ...row, id: 'other' });
  const shown = [
    `${text}`,
    String(text),
    JSON.stringify({ text, sealer, list: [text] }),
    inspect({ text, sealer, error }, { depth: 9, showHidden: true }),
    format('%s %j %o %O', text, text, text, sealer),
    error.stack,
  ].join('\n');
  expect(shown).toContain('(not shown)');
  for (let at = 28; at < key.length - 50; at += 1) expect(shown).not.toContain(key.slice(at, at + 24));
  for (const encoding of ['hex', 'base64', 'latin1'] as const) expect(shown).not.toContain(secret.toString(encoding));
});

it('a secret of another length is refused', () => {
  expect(() => new Sealer(Buffer.alloc(31))).toThrow(RangeError);
});

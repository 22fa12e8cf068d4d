import { expect, it } from 'vitest';
import { driftWords } from './drift-words.ts';

const drift = { status: 'drift', live: 'restored', backup: '20261122', added: 1, removed: 2, reason: null } as const;

it('is empty without drift, and before the first response', () => {
  expect(driftWords(undefined)).toBeNull();
  expect(driftWords({ ...drift, status: 'none' })).toBeNull();
});

it('counts the changed lines, and names the origin of the live configuration', () => {
  expect(driftWords(drift)).toEqual({
    title: 'Live configuration differs from the sites and settings (1 line to add, 2 to remove)',
    words: 'Backup 20261122 is live. It is replaced only after confirmation.',
  });
  expect(driftWords({ ...drift, live: 'rendered' })?.words).toMatch(/A reload applies it/);
  expect(driftWords({ ...drift, live: 'other', added: null, removed: null })?.title).toBe(
    'Live configuration differs from the sites and settings',
  );
});

it('shows unknown drift with its reason', () => {
  const unknown = driftWords({ ...drift, status: 'unknown', reason: 'the template could not be rendered' });
  expect(unknown?.title).toMatch(/^Could not compare/);
  expect(unknown?.words).toBe('the template could not be rendered');
});

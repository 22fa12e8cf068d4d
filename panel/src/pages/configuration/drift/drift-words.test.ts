import { expect, it } from 'vitest';
import { driftWords } from './drift-words.ts';

const drift = { status: 'drift', live: 'restored', backup: '20261122', added: 1, removed: 2, reason: null } as const;

it('says nothing while all is as it should be, or before the service has answered', () => {
  expect(driftWords(undefined)).toBeNull();
  expect(driftWords({ ...drift, status: 'none' })).toBeNull();
});

it('counts what a reload would change, and says where the live text comes from', () => {
  expect(driftWords(drift)).toEqual({
    title: 'Live configuration differs from the sites and settings (1 line to add, 2 to remove)',
    words: 'Backup 20261122 is in force, and is replaced only when you confirm it.',
  });
  expect(driftWords({ ...drift, live: 'rendered' })?.words).toMatch(/A reload applies it/);
  expect(driftWords({ ...drift, live: 'other', added: null, removed: null })?.title).toBe(
    'Live configuration differs from the sites and settings',
  );
});

it('tells what is not known as not known', () => {
  const unknown = driftWords({ ...drift, status: 'unknown', reason: 'the template could not be rendered' });
  expect(unknown?.title).toMatch(/is not known/);
  expect(unknown?.words).toBe('the template could not be rendered');
});

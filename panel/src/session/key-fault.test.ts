import { expect, it } from 'vitest';
import { keyFault } from './key-fault.ts';

it.each([
  ['pm_аbc', '“а” (U+0430)'],
  ['pm_“abc”', '““” (U+201C)'],
  ['pm_abc\u200b', 'the character U+200B'],
  ['pm_a bc', 'the character U+0020'],
  ['pm_é', '“é” (U+00E9)'],
  ['pm_😀', '(U+1F600)'],
  ['k'.repeat(513), '513 characters'],
])('rejects %j and names the reason', (key, named) => {
  expect(keyFault(key)).toContain(named);
});

it.each(['pm_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4', 'own-key-!"#$%&()~', 'k'.repeat(512)])(
  'accepts %j',
  (key) => {
    expect(keyFault(key)).toBeNull();
  },
);

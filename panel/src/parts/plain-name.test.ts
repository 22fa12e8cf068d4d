import { expect, it, test } from 'vitest';
import { isPlainName, maxNameLength, nameFault } from './plain-name.ts';

it('rejects names in use and invalid names', () => {
  expect(nameFault('chat', ['chat'], 'In use.')).toBe('In use.');
  expect(nameFault('chat/2', [], 'In use.')).toMatch(/^Use letters/);
  expect(nameFault('chat-2', ['chat'], 'In use.')).toBeNull();
});

test.each([
  ['a', true],
  ['A.b_c-9', true],
  ['a'.repeat(maxNameLength), true],
  ['a'.repeat(maxNameLength + 1), false],
  ['-a', false],
  ['a b', false],
  ['ä', false],
  ['', false],
])('%j is a valid name: %s', (text, plain) => {
  expect(isPlainName(text)).toBe(plain);
});

import { expect, it, test } from 'vitest';
import { isPlainName, longestName, nameFault } from './plain-name.ts';

it('takes no name that is one already, and none of another form', () => {
  expect(nameFault('chat', ['chat'], 'It is there.')).toBe('It is there.');
  expect(nameFault('chat/2', [], 'It is there.')).toMatch(/^Letters/);
  expect(nameFault('chat-2', ['chat'], 'It is there.')).toBeNull();
});

test.each([
  ['a', true],
  ['A.b_c-9', true],
  ['a'.repeat(longestName), true],
  ['a'.repeat(longestName + 1), false],
  ['-a', false],
  ['a b', false],
  ['ä', false],
  ['', false],
])('%j is a plain name: %s', (text, plain) => {
  expect(isPlainName(text)).toBe(plain);
});

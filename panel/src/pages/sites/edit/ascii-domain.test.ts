import { expect, it } from 'vitest';
import { asciiDomain } from './ascii-domain.ts';

it.each([
  ['münchen.example', 'xn--mnchen-3ya.example'],
  [' ESPAÑA.example ', 'xn--espaa-rta.example'],
  ['shop.example', null],
  ['münchen.example/path', null],
  ['ü@b', null],
  ['', null],
])('converts %j to %s', (text, ascii) => {
  expect(asciiDomain(text)).toBe(ascii);
});

import { expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

it.each([
  ['port scan', 'port scan'],
  ['a\u202Egnp.exe', 'a⟨U+202E⟩gnp.exe'],
  ['zero\u200Bwidth', 'zero⟨U+200B⟩width'],
  ['tab\there', 'tab⟨U+0009⟩here'],
  ['\u{E0041}tag', '⟨U+E0041⟩tag'],
  ['שלום 攻击 München', 'שלום 攻击 München'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

import { expect, it } from 'vitest';
import { placesOfWords } from './mark-words.ts';

const room = { left: 40, right: 300, gap: 6 };
const mark = (x: number, isFirst = false) => ({ x, width: 36, isFirst });

it('writes the words of two marks that are near each other, as on a phone', () => {
  expect(placesOfWords([mark(219), mark(264, true)], room)).toEqual([219, 264]);
  expect(placesOfWords([mark(250), mark(264, true)], room)).toEqual([214, 264]);
});

it('writes a word on the other side of its line where it would be cut', () => {
  expect(placesOfWords([mark(280), mark(50)], room)).toEqual([244, 50]);
});

it('leaves out a word without room, never that of an attack for another one', () => {
  expect(placesOfWords([mark(100), mark(101), mark(102), mark(103, true)], room)).toEqual([null, null, null, 103]);
  expect(placesOfWords([mark(100), mark(120)], room)).toEqual([100, null]);
});

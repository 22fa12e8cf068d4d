import { expect, it } from 'vitest';
import { rowsOf, withRow, withRows } from './table.ts';

const page = `# Page

Text.

<!-- runs -->
| date | result |
|---|---|
| Monday | 3 passed |
<!-- end of runs -->

| another | table |
|---|---|
| 1 | 2 |
`;

it('appends a row and leaves the rest of the page as it is', () => {
  const appended = withRow(page, 'runs', ['Tuesday', '2 passed']);
  expect(rowsOf(appended, 'runs')).toEqual([
    ['Monday', '3 passed'],
    ['Tuesday', '2 passed'],
  ]);
  expect(appended.replace('| Tuesday | 2 passed |\n', '')).toBe(page);
});

it('appends the first row of a table', () => {
  const empty = withRows(page, 'runs', []);
  expect(rowsOf(empty, 'runs')).toEqual([]);
  expect(rowsOf(withRow(empty, 'runs', ['a', 'b']), 'runs')).toEqual([['a', 'b']]);
});

it('replaces all rows', () => {
  const replaced = withRows(page, 'runs', [['Sunday', 'none']]);
  expect(rowsOf(replaced, 'runs')).toEqual([['Sunday', 'none']]);
  expect(replaced).toContain('| 1 | 2 |');
});

it('keeps bars and line breaks of a cell from changing the table', () => {
  const appended = withRow(page, 'runs', ['a | b', 'two\nlines']);
  expect(rowsOf(appended, 'runs').at(-1)).toEqual(['a | b', 'two lines']);
});

it('rejects a page without the table', () => {
  expect(() => withRow(page, 'other', [])).toThrow('no table between "<!-- other -->"');
  expect(() => rowsOf('<!-- runs --><!-- end of runs -->', 'runs')).toThrow('has no header');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const lines = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);
const text = (...parts: readonly (string | readonly string[])[]): string => `${parts.flat().join('\n')}\n`;

/** Like `patch`, but strict: every context line and every position must match. */
function applied(before: string, diff: string): string {
  if (diff === '') return before;
  const source = before === '' ? [] : before.split(/(?<=\n)/);
  const result: string[] = [];
  let at = 0;
  let inHunk = false;
  const rows = diff.split('\n').slice(2, -1);
  for (const [index, row] of rows.entries()) {
    const header = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(row);
    if (header !== null) {
      const [, start, length, newStart, newLength] = header.map(Number) as [number, number, number, number, number];
      const first = length === 0 ? start : start - 1;
      result.push(...source.slice(at, first));
      at = first;
      expect(newLength === 0 ? newStart : newStart - 1).toBe(result.length);
      inHunk = true;
      continue;
    }
    expect(inHunk).toBe(true);
    if (row.startsWith('\\')) continue;
    const content = row.slice(1) + (rows[index + 1]?.startsWith('\\') === true ? '' : '\n');
    if (row[0] !== '+') {
      expect(source[at]).toBe(content);
      at += 1;
    }
    if (row[0] !== '-') result.push(content);
  }
  return [...result, ...source.slice(at)].join('');
}

describe('the difference of two configurations', () => {
  it('is empty when there is none', () => {
    expect(unifiedDiff('a\n', 'a\n', '/x')).toBe('');
    expect(unifiedDiff('', '', '/x')).toBe('');
  });

  it('shows a change with three lines around it, and names both sides', () => {
    const before = text(lines(1, 20));
    const after = before.replace('line 10\n', 'line ten\n');
    expect(unifiedDiff(before, after, '/etc/proxy.cfg')).toBe(
      text(
        '--- /etc/proxy.cfg (live)',
        '+++ /etc/proxy.cfg (rendered)',
        '@@ -7,7 +7,7 @@',
        lines(7, 9).map((line) => ` ${line}`),
        '-line 10',
        '+line ten',
        lines(11, 13).map((line) => ` ${line}`),
      ),
    );
  });

  it('separates distant changes, and joins near ones', () => {
    const before = text(lines(1, 40));
    const far = before.replace('line 5\n', '').replace('line 30\n', 'x\n');
    expect(unifiedDiff(before, far, '/x').match(/^@@/gm)).toHaveLength(2);
    const near = before.replace('line 5\n', '').replace('line 11\n', 'x\n');
    expect(unifiedDiff(before, near, '/x').match(/^@@/gm)).toHaveLength(1);
  });

  it('shows a first configuration as completely added', () => {
    expect(unifiedDiff('', 'a\nb\n', '/x')).toBe(
      text('--- /x (live)', '+++ /x (rendered)', '@@ -0,0 +1,2 @@', '+a', '+b'),
    );
  });

  it('shows that the last line has no newline: that is a difference too', () => {
    expect(unifiedDiff('a\nb', 'a\nb\n', '/x')).toBe(
      text('--- /x (live)', '+++ /x (rendered)', '@@ -1,2 +1,2 @@', ' a', '-b', '\\ No newline at end of file', '+b'),
    );
  });

  it('turns the one text into the other, for any texts', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', '-x', '+y', '@@ -1,1 +1,1 @@');
    const document = fc
      .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
      .map(([list, ended]) => list.join('\n') + (ended && list.length > 0 ? '\n' : ''));
    fc.assert(
      fc.property(document, document, (before, after) => {
        expect(applied(before, unifiedDiff(before, after, '/x'))).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  it('of two long texts with nothing in common takes little time', () => {
    const [before, after] = [text(lines(1, 3_000)), text(lines(4_000, 7_000))];
    expect(applied(before, unifiedDiff(before, after, '/x'))).toBe(after);
  });
});

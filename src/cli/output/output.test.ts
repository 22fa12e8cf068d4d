import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../testkit/any-text.ts';
import { counted } from '../../domain/counted.ts';
import { mayPaint, unpainted } from './colour.ts';
import { harmless, harmlessJson, harmlessLines } from './harmless.ts';
import { Output } from './output.ts';
import { Progress, progressLine } from './progress.ts';
import { type Column, displayWidth, fitted, padded, plainLine, Table } from './table.ts';
import { fromNow, minute, span } from './times.ts';

/** Characters that a terminal obeys or does not show. */
const obeyed = /[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/u;
const anyText = fc.string({ unit: anyCharacter });

describe('a text from outside', () => {
  it.each([
    ['ssh brute force, 12×', 'ssh brute force, 12×'],
    ['\u001b]0;owned\u0007', '\\u{1b}]0;owned\\u{7}'],
    ['a\nb\tc', 'a\\u{a}b\\u{9}c'],
    ['\u009b31m', '\\u{9b}31m'],
    ['safe\u202egnp.exe', 'safe\\u{202e}gnp.exe'],
    ['a\u200bb\u2066c', 'a\\u{200b}b\\u{2066}c'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800', '\\u{d800}'],
  ])('%j is shown as %j', (text, shown) => {
    expect(harmless(text)).toBe(shown);
  });

  it('never contains a character that controls a terminal', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(harmless(text)).not.toMatch(obeyed);
      }),
    );
  });

  it('keeps line ends and tabs if it has several lines', () => {
    expect(harmlessLines('a\n\tb\u001b[0m\n')).toBe('a\n\tb\\u{1b}[0m\n');
  });

  it('in JSON is equivalent and harmless', () => {
    const value = { 'k\u202e': ['\u009b31m', 'é漢', '\u{e0041}', null, 7] };
    expect(JSON.parse(harmlessJson(value))).toEqual(value);
    fc.assert(
      fc.property(anyText, (text) => {
        const json = harmlessJson({ [text]: text }, 0);
        expect(json).not.toMatch(obeyed);
        expect(JSON.parse(json)).toEqual({ [text]: text });
      }),
    );
  });
});

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['😀', 2],
    ['', 0],
  ])('of %j is %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('never exceeds the given columns', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 12 }), (text, width) => {
        expect(displayWidth(fitted(text, width))).toBeLessThanOrEqual(width);
      }),
    );
    expect(fitted('漢字漢字', 5)).toBe('漢字…');
    expect(padded('漢', 4)).toBe('漢  ');
  });
});

interface Row {
  readonly ip: string;
  readonly reason: string;
}
const columns: readonly Column<Row>[] = [
  { title: 'ADDRESS', text: ({ ip }) => ip },
  { title: 'REASON', text: ({ reason }) => reason, mayShrink: true },
];

describe('a table', () => {
  it('is aligned, has its titles once, and keeps its widths from page to page', () => {
    const table = new Table({ columns, width: 80, paint: unpainted });
    expect(table.page([{ ip: '192.0.2.1', reason: 'ssh' }])).toEqual(['ADDRESS    REASON', '192.0.2.1  ssh']);
    expect(table.page([{ ip: '192.0.2.22', reason: 'a longer one' }])).toEqual(['192.0.2.22  a lon…']);
  });

  it('cuts the last shrinkable column first, and no more than necessary', () => {
    const both = [...columns.slice(1), { title: 'BY', text: ({ ip }: Row) => ip, mayShrink: true }];
    const [, line] = new Table({ columns: both, width: 40, paint: unpainted }).page([
      { ip: 'x'.repeat(30), reason: 'r'.repeat(20) },
    ]);
    expect(line).toBe(`${'r'.repeat(20)}  ${'x'.repeat(17)}…`);
  });

  it('is never wider than the terminal, and never cuts an address', () => {
    const table = new Table({ columns, width: 40, paint: unpainted });
    const ip = '2001:db8:1111:2222:3333::/80';
    const lines = table.page([{ ip, reason: '漢'.repeat(50) }]);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    expect(lines[1]).toContain(ip);
  });

  it('in a pipe is one tab-separated line per row, with `-` for an empty field', () => {
    expect(plainLine(columns, { ip: '192.0.2.1', reason: 'a\tb\nc' })).toBe('192.0.2.1\ta\\u{9}b\\u{a}c');
    expect(plainLine(columns, { ip: '192.0.2.1', reason: '' })).toBe('192.0.2.1\t-');
  });
});

describe('times', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  it.each([
    ['2026-11-21T15:00:00Z', 'in 3 h'],
    ['2026-11-21T11:58:30Z', '90 s ago'],
    ['2026-11-21T12:00:00.400Z', 'now'],
    ['2026-12-21T12:00:00Z', 'in 30 d'],
    ['never', 'never'],
  ])('%s is %s', (iso, text) => {
    expect(fromNow(iso, now)).toBe(text);
  });

  it('are shown in the largest unit with a value of at least two', () => {
    expect([0, 59, 119, 120, 7199, 7200, 172_800].map(span)).toEqual([
      '0 s',
      '59 s',
      '119 s',
      '2 min',
      '120 min',
      '2 h',
      '2 d',
    ]);
    expect(minute('2026-11-21T12:00:59.999Z')).toBe('2026-11-21 12:00 UTC');
    expect([counted(1, 'address', 'addresses'), counted(1234, 'line')]).toEqual(['1 address', '1,234 lines']);
  });
});

describe('progress', () => {
  it('shows a bar if the total is known, and a count otherwise', () => {
    expect(progressLine('importing', 0.5, 500_000, 'lines')).toBe(
      `importing [${'#'.repeat(12)}${' '.repeat(12)}]  50 %  500,000 lines`,
    );
    expect(progressLine('importing', null, 7, 'lines')).toBe('importing  7 lines');
  });

  it('is one line on terminals only, at most ten times a second, and erased at the end', () => {
    const written: string[] = [];
    let time = 0;
    const screen = { isTerminal: true, columns: 20, write: (text: string) => written.push(text) };
    const progress = new Progress({ screen, what: 'importing', now: () => time });
    progress.show(0.1, 1, 'lines');
    progress.show(0.2, 2, 'lines');
    time = 100;
    progress.show(0.3, 3, 'lines');
    progress.end();
    progress.end();
    expect(written).toEqual(['\r\u001b[Kimporting [##      ', '\r\u001b[Kimporting [####### ', '\r\u001b[K']);

    const piped = new Progress({ screen: { ...screen, isTerminal: false }, what: 'importing', now: () => time });
    piped.show(0.5, 1, 'lines');
    piped.end();
    expect(written).toHaveLength(3);
  });
});

describe('output', () => {
  it('has colours only on a terminal without NO_COLOR', () => {
    expect(mayPaint(true, {})).toBe(true);
    expect(mayPaint(true, { NO_COLOR: '' })).toBe(true);
    expect(mayPaint(true, { NO_COLOR: '1' })).toBe(false);
    expect(mayPaint(true, { TERM: 'dumb' })).toBe(false);
    expect(mayPaint(false, {})).toBe(false);
  });

  it('to a closed pipe is dropped silently', async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const output = new Output({ stdout, stderr, environment: {} });
    await output.lines(['one']);
    stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await output.lines(['two']);
    await output.write('three');
    expect(output.closed).toBe(true);
    expect(stderr.read()).toBeNull();
  });
});

import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  commitsText,
  countedAcrossCommits,
  isVersion,
  mergeRows,
  type Part,
  type Piece,
  plansFor,
  progressOf,
  rowOf,
  summaryIn,
} from './long-plan.ts';
import { appendPiece, readPieces } from './long-results.ts';

const plan = (part: Part) => plansFor(100).find((one) => one.part === part)!;
const piece = (more: Partial<Piece>): Piece => ({
  date: '2026-11-22T14:05:00.000Z',
  part: 'chaos',
  version: '3.4.0',
  commit: 'new',
  seed: 1,
  count: 10,
  seconds: 61,
  result: 'passed',
  ...more,
});
const progress = (part: Part, pieces: readonly Piece[]) =>
  progressOf(pieces, plan(part), '3.4.0', (commit) => commit === 'new', 4);

it('adds up rounds over runs and commits, each piece with a new seed', () => {
  expect(progress('chaos', [])).toEqual({ done: 0, open: 100, nextSeed: 1, first: null, last: null });
  const pieces = [piece({ seed: 1, commit: 'old' }), piece({ seed: 2 }), piece({ seed: 3, count: 5 })];
  expect(progress('chaos', pieces)).toMatchObject({ done: 25, open: 75, nextSeed: 4 });
});

it('has nothing open once the target is reached', () => {
  expect(progress('chaos', [piece({ count: 60 }), piece({ count: 60 })])).toMatchObject({ done: 120, open: 0 });
});

it('counts each version and part separately', () => {
  const pieces = [piece({ version: '2.6.12' }), piece({ part: 'power-cut', count: 20 })];
  expect(progress('chaos', pieces).done).toBe(0);
  expect(progress('power-cut', pieces)).toMatchObject({ done: 20, open: 80 });
});

it('needs half as many rounds of an attached service, counted separately', () => {
  const pieces = [piece({ count: 10 }), piece({ part: 'attached', count: 20, seed: 2 })];
  expect(progress('attached', pieces)).toMatchObject({ done: 20, open: 30, nextSeed: 3 });
  expect(progress('chaos', pieces)).toMatchObject({ done: 10, open: 90 });
});

it('starts again at 0 after a failure, with the seed that failed', () => {
  const pieces = [piece({ seed: 1 }), piece({ seed: 2, result: 'failed' })];
  expect(progress('chaos', pieces)).toMatchObject({ done: 0, open: 100, nextSeed: 2 });
  expect(progress('chaos', [...pieces, piece({ seed: 2 })])).toMatchObject({ done: 10, nextSeed: 3 });
});

it('starts again at 0 after a restart, with new seeds', () => {
  const pieces = [piece({ seed: 7 }), piece({ result: 'restarted', count: 0, seed: 0 })];
  expect(progress('chaos', pieces)).toMatchObject({ done: 0, open: 100, nextSeed: 8, last: { seed: 7 } });
});

it('needs versions and crash points once at the current commit, with the seed of the tests', () => {
  const run = { part: 'crash-points', count: 1, seed: 4 } as const;
  expect(progress('crash-points', [piece({ ...run, commit: 'old' })])).toMatchObject({ open: 1, nextSeed: 4 });
  expect(progress('crash-points', [piece(run)])).toMatchObject({ done: 1, open: 0, nextSeed: 4 });
});

it('writes a row for each part and version that ran', () => {
  expect(rowOf(plan('chaos'), '3.4.0', progress('chaos', []))).toBeNull();
  const failed = [piece({ seed: 1 }), piece({ seed: 2, result: 'failed', detail: 'see the log' })];
  const row = rowOf(plan('chaos'), '3.4.0', progress('chaos', failed));
  expect(row).toEqual(['chaos', '3.4.0', '0 rounds', '2026-11-22', 'new', '2', 'failed: see the log']);
  const load = progress('load', [piece({ part: 'load', count: 1 })]);
  expect(rowOf(plan('load'), '3.4.0', load)).toMatchObject([
    'load',
    '3.4.0',
    '1 run',
    '2026-11-22',
    'new',
    '1',
    'passed',
  ]);
});

it('names the first and the last commit of what is counted', () => {
  const commitsOf = (...pieces: Partial<Piece>[]) => commitsText(progress('chaos', pieces.map(piece)));
  expect(commitsOf({ commit: 'a' }, { commit: 'b' }, { commit: 'c' })).toBe('a … c');
  expect(commitsOf({ commit: 'a' }, { commit: 'a' })).toBe('a');
  expect(commitsOf({ commit: 'a' }, { commit: 'b', result: 'failed' })).toBe('b');
  expect(commitsOf({ commit: 'a', result: 'failed' }, { commit: 'b' }, { commit: 'c' })).toBe('b … c');
  expect(commitsOf()).toBe('');
  const pieces = [piece({ commit: 'old' }), piece({ commit: 'new' })];
  expect(rowOf(plan('chaos'), '3.4.0', progress('chaos', pieces))?.[4]).toBe('old … new');
});

it('says which parts add up across commits', () => {
  expect(countedAcrossCommits()).toBe(
    'power-cut, load, chaos, attached and certificates add up across commits; versions, crash-points and insight count at the current commit only.',
  );
});

it('finds the summary of a part in its output', () => {
  expect(summaryIn('load', '[  1.0 s] fills\n1056 requests in 11 s, 0 wrong\n\nmore', true)).toMatch(/^1056 .* wrong$/);
  const chaos = 'round 1 passed\nrounds 10, passed 9, failed 1 (7)\noperations 119\n';
  expect(summaryIn('chaos', chaos, true)).toBeNull();
  expect(summaryIn('chaos', chaos, false)).toBe('rounds 10, passed 9, failed 1 (7)');
  expect(summaryIn('attached', chaos, false)).toBe('rounds 10, passed 9, failed 1 (7)');
  expect(summaryIn('power-cut', 'seed 1: 9 calls\n', false)).toBeNull();
});

it('keeps rows of other machines and sorts by part and version', () => {
  const old = [
    ['chaos', '3.4.0', 'old'],
    ['versions', '3.10.1', 'old'],
  ];
  const own = [
    ['chaos', '3.4.0', 'new'],
    ['versions', '3.4.0', 'new'],
  ];
  expect(mergeRows(old, own)).toEqual([
    ['versions', '3.4.0', 'new'],
    ['versions', '3.10.1', 'old'],
    ['chaos', '3.4.0', 'new'],
  ]);
});

it('accepts a branch or a complete version', () => {
  expect(isVersion('3.4.0-64a335366', '3.4')).toBe(true);
  expect(isVersion('3.4.0-64a335366', '3.4.0')).toBe(true);
  expect(isVersion('3.40.1', '3.4')).toBe(false);
});

it('reads results after a truncated line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'test-long-'));
  try {
    const path = join(folder, 'new/results.jsonl');
    expect(readPieces(path)).toEqual([]);
    appendPiece(path, piece({ seed: 1 }));
    appendFileSync(path, '{"part":"chaos","ver');
    appendPiece(path, piece({ seed: 2 }));
    expect(readPieces(path).map(({ seed }) => seed)).toEqual([1, 2]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

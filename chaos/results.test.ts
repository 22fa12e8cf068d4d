import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { append, lastRoundIn, lineOf } from './results.ts';
import type { RoundResult } from './round.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pm-chaos-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const result = (round: number, wrong: string[] = []): RoundResult => ({
  round,
  struck: ['kill-service'],
  operations: 30,
  ms: 2_000,
  checkedMs: 300,
  agreedMs: 200,
  requests: 250,
  slowestFastPathMs: 12,
  slowFastPath: 0,
  answers: new Map(),
  wrong,
  story: [],
});

it('results continue after the last round of the same seed and version, even after a truncated line', () => {
  const path = join(folder, 'out.jsonl');
  expect(lastRoundIn(path, 1, '3.0')).toBe(0);
  append(path, lineOf(1, '3.0', result(1)));
  append(path, lineOf(1, '3.0', result(2, ['too late'])));
  append(path, lineOf(2, '3.0', result(9)));
  append(path, lineOf(1, '2.6', result(7)));
  appendFileSync(path, '{"seed":1,"round":3,"ver');
  expect(lastRoundIn(path, 1, '3.0')).toBe(2);
  append(path, lineOf(1, '3.0', result(3)));
  expect(lastRoundIn(path, 1, '3.0')).toBe(3);
});

it('a line has the faults, the duration and the broken promises', () => {
  expect(lineOf(5, '3.0', result(4, ['too late']))).toEqual({
    seed: 5,
    round: 4,
    version: '3.0',
    faults: ['kill-service'],
    operations: 30,
    requests: 250,
    ms: 2_000,
    slowest_fast_path_ms: 12,
    agreed_ms: 200,
    verdict: 'failed',
    wrong: ['too late'],
  });
});

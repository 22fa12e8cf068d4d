import { expect, it } from 'vitest';
import { greenInARow, nextIsBusy, resultOf, rowOf, type SuiteRun, type VitestReport } from './suite-run.ts';

const report = (failed: readonly string[]): VitestReport => ({
  numPassedTests: 5,
  numFailedTests: failed.length,
  numPendingTests: 2,
  numTodoTests: 1,
  testResults: [
    { name: '/r/test/a.test.ts', status: 'passed', assertionResults: [{ status: 'passed', fullName: 'blocks' }] },
    {
      name: '/r/test/b.test.ts',
      status: failed.length === 0 ? 'passed' : 'failed',
      assertionResults: failed.map((fullName) => ({ status: 'failed', fullName })),
    },
  ],
});

const run = (failures: readonly string[]): SuiteRun => ({
  at: new Date('2026-11-22T14:05:09Z'),
  commit: '6fca469',
  seed: 4,
  seconds: 287.6,
  busyLoops: 4,
  proxies: [{ version: '2.6.12-1+deb12u4' }, { version: '3.4.0-64a335366' }],
  result: resultOf(report(failures), '/r', failures.length === 0 ? 0 : 1),
});

const rows = (...failed: number[]): string[][] =>
  failed.map((count) => rowOf(run(Array.from({ length: count }, (_, index) => `test ${index}`))));

it('counts passed, failed and skipped tests, and names the failed ones with their file', () => {
  expect(resultOf(report([]), '/r', 0)).toEqual({ passed: 5, failed: 0, skipped: 3, failures: [] });
  expect(resultOf(report(['x', 'y']), '/r', 1).failures).toEqual(['test/b.test.ts: x', 'test/b.test.ts: y']);
});

it('counts a file that cannot be run as a failure', () => {
  const broken = { name: '/r/test/c.test.ts', status: 'failed', assertionResults: [] };
  const result = resultOf({ ...report([]), testResults: [broken] }, '/r', 1);
  expect(result).toMatchObject({ failed: 1, failures: ['test/c.test.ts: could not be run'] });
});

it('counts a run as failed if it ends with an error or is killed after its tests passed', () => {
  const failures = (code: number | null) => resultOf(report([]), '/r', code).failures;
  expect(failures(1)).toEqual(['no test failed, but the run ended with 1']);
  expect(failures(null)).toEqual(['no test failed, but the run ended with a signal']);
});

it('says that no test ran if there is no report, unless the run was killed', () => {
  const failures = ['no test ran; the run ended with 1'];
  expect(resultOf(null, '/r', 1)).toEqual({ passed: 0, failed: 1, skipped: 0, failures });
  expect(resultOf(null, '/r', null).failures).toEqual(['no report was written; the run ended with a signal']);
});

it('writes one row a run', () => {
  expect(rowOf(run([]))).toEqual([
    '2026-11-22 14:05',
    '6fca469',
    '4',
    '4 min 48 s',
    '4',
    '2.6.12, 3.4.0',
    '5 passed, 0 failed, 3 skipped',
    '',
  ]);
  expect(rowOf(run(['a', 'b', 'c', 'd'])).at(-1)).toMatch(/^not explained yet: test\/b.*: a; .*; and 1 more$/);
});

it('counts green runs back to the last red one', () => {
  expect(greenInARow([])).toBe(0);
  expect(greenInARow(rows(0, 0))).toBe(2);
  expect(greenInARow(rows(0, 1))).toBe(0);
  expect(greenInARow(rows(0, 12, 0, 0, 0))).toBe(3);
});

it('runs every third of the green runs in a row beside busy loops', () => {
  const busy = Array.from({ length: 6 }, (_, done) => nextIsBusy(rows(...Array.from({ length: done }, () => 0))));
  expect(busy).toEqual([false, false, true, false, false, true]);
  expect(nextIsBusy(rows(0, 0, 1))).toBe(false);
});

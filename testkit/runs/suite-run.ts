// One run of the suite, and its row in docs/reliability.md.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { ProxyBinary } from '../proxies.ts';

export const suiteRuns = 'test:again';

interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Each with its file. */
  readonly failures: readonly string[];
}

/** The used part of vitest's JSON report. */
export interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** @param code exit code; other than 0 it is a failure even if every test passed */
export function resultOf(report: VitestReport | null, root: string, code: number | null): SuiteResult {
  if (report === null) return { passed: 0, failed: 1, skipped: 0, failures: [withoutReport(code)] };
  const failures = report.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((one) => one.status === 'failed').map((one) => `${file}: ${one.fullName}`);
    return failed.length === 0 && status === 'failed' ? [`${file}: could not be run`] : failed;
  });
  if (failures.length === 0 && code !== 0) failures.push(`no test failed, but ${endOf(code)}`);
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures,
  };
}

/** An earlier step failed, such as the check of the format. A killed run may have run tests. */
function withoutReport(code: number | null): string {
  return `${code === null ? 'no report was written' : 'no test ran'}; ${endOf(code)}`;
}

function endOf(code: number | null): string {
  return `the run ended with ${code ?? 'a signal'}`;
}

/** Null: the run wrote none. */
export function readReport(path: string): VitestReport | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as VitestReport;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

export interface SuiteRun {
  readonly at: Date;
  readonly commit: string;
  readonly seed: number;
  readonly seconds: number;
  readonly busyLoops: number;
  readonly proxies: readonly Pick<ProxyBinary, 'version'>[];
  readonly result: SuiteResult;
}

const namedFailures = 3;

/** Date, commit, seed, duration, busy loops, HAProxy versions, result, note. */
export function rowOf({ at, commit, seed, seconds, busyLoops, proxies, result }: SuiteRun): string[] {
  const { passed, failed, skipped, failures } = result;
  const more = failures.length > namedFailures ? `; and ${failures.length - namedFailures} more` : '';
  return [
    at.toISOString().slice(0, 16).replace('T', ' '),
    commit,
    String(seed),
    durationText(seconds),
    busyLoops === 0 ? 'none' : String(busyLoops),
    proxies.map(({ version }) => shortVersion(version)).join(', '),
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
    failed === 0 ? '' : `not explained yet: ${failures.slice(0, namedFailures).join('; ')}${more}`,
  ];
}

/** Green runs at the end of the table. */
export function greenInARow(rows: readonly (readonly string[])[]): number {
  return rows.length - 1 - rows.findLastIndex((cells) => !/^\d+ passed, 0 failed, \d+ skipped$/.test(cells[6] ?? ''));
}

/** Every third of the green runs has busy loops. */
export function nextIsBusy(rows: readonly (readonly string[])[]): boolean {
  return greenInARow(rows) % 3 === 2;
}

export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `3.2.26` of `3.2.26-1+deb13u1`. */
export function shortVersion(version: string): string {
  return version.replace(/-.*$/, '');
}

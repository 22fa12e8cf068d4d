// Prometheus' checker of metrics and rules, from Debian's package `prometheus`.
import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';

interface Judgement {
  readonly fine: boolean;
  readonly said: string;
}

export function promtool(args: readonly string[], input = ''): Judgement {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return { fine: status === 0, said: `${stdout}${stderr}` };
}

export function promtoolIsThere(): boolean {
  return spawnSync('promtool', ['--version']).error === undefined;
}

/** Without promtool a skipped group names what is missing. */
export function describeWithPromtool(name: string, tests: () => void): void {
  if (promtoolIsThere()) describe(name, tests);
  else describe.skip(`${name}: skipped, promtool is missing; scripts/prepare tests installs it`, tests);
}

// The clocks of one service under test: the wall clock can be set, elapsed time slowed or moved on.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const preloaded = (module: string): string => `--import=${join(import.meta.dirname, module)}`;

/** For `RealService.start`, as `environment`: the service's wall clock can be set by `setClock`. */
export const settableClock: Readonly<Record<string, string>> = { NODE_OPTIONS: preloaded('shifted-clock.ts') };

/** So many milliseconds before (negative) or after the machine's. @param prefix the service's folder */
export async function setClock(prefix: string, offset: number): Promise<void> {
  await writeFile(clockFile(prefix), `${offset}\n`);
}

/**
 * For `RealService.start`, as `environment`: every deadline and every pause of the service is ten times as long. Where a
 * test says that something comes before a deadline, the machine may be that much slower.
 */
export const slowedTime: Readonly<Record<string, string>> = {
  NODE_OPTIONS: preloaded('changed-time.ts'),
  TEST_TIME_SLOWED_BY: '10',
};

/** For `RealService.start`, as `environment`: for `stopTime` and `jumpTo`. */
export const movableTime: Readonly<Record<string, string>> = { NODE_OPTIONS: preloaded('changed-time.ts') };

/** No time elapses for the service, whatever it measures; its timers run. */
export async function stopTime(prefix: string): Promise<void> {
  await writeFile(timeFile(prefix), 'still\n');
}

/** The service's elapsed time is so many milliseconds ahead of the machine's. Timers that run already do not hurry. */
export async function jumpTo(prefix: string, aheadMs: number): Promise<void> {
  await writeFile(timeFile(prefix), `${aheadMs}\n`);
}

export const clockFile = (prefix: string): string => `${prefix}.clock`;
export const timeFile = (prefix: string): string => `${prefix}.time`;

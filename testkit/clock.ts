// Sets the wall clock of a service under test, and slows or moves its elapsed time.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const preloaded = (module: string): string => `--import=${join(import.meta.dirname, module)}`;

/** `environment` for `RealService.start`: allows `setClock`. */
export const settableClock: Readonly<Record<string, string>> = { NODE_OPTIONS: preloaded('shifted-clock.ts') };

/** @param offset milliseconds before (negative) or after the machine's clock @param prefix the service's folder */
export async function setClock(prefix: string, offset: number): Promise<void> {
  await writeFile(clockFile(prefix), `${offset}\n`);
}

/** `environment` for `RealService.start`: deadlines and pauses take ten times as long, for slow machines. */
export const slowedTime: Readonly<Record<string, string>> = {
  NODE_OPTIONS: preloaded('changed-time.ts'),
  TEST_TIME_SLOWED_BY: '10',
};

/** `environment` for `RealService.start`: allows `stopTime` and `jumpTo`. */
export const movableTime: Readonly<Record<string, string>> = { NODE_OPTIONS: preloaded('changed-time.ts') };

/** Elapsed time stops for the service; its timers run. */
export async function stopTime(prefix: string): Promise<void> {
  await writeFile(timeFile(prefix), 'still\n');
}

/** Moves elapsed time ahead of the machine's. Timers that run already are not affected. */
export async function jumpTo(prefix: string, aheadMs: number): Promise<void> {
  await writeFile(timeFile(prefix), `${aheadMs}\n`);
}

export const clockFile = (prefix: string): string => `${prefix}.clock`;
export const timeFile = (prefix: string): string => `${prefix}.time`;

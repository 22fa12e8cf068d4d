// Preloaded into a service (`--import`): elapsed time runs slower, stops or jumps ahead. The wall clock is unchanged.
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { env } from 'node:process';
import timers from 'node:timers/promises';

const slowedBy = Number(env.TEST_TIME_SLOWED_BY ?? '1');
const file = `${env.PROXY_MANAGER_PREFIX}.time`;
const lookEveryMs = 10;

const realNow = performance.now.bind(performance);
/** The file's content: `5000` (milliseconds ahead) or `still`. */
let said = '0';
let lookedAt = Number.NEGATIVE_INFINITY;
let last = 0;

function look(now: number): void {
  if (now - lookedAt <= lookEveryMs) return;
  lookedAt = now;
  try {
    // Ignores a file that is half written.
    said = /^(\d+|still)\n$/.exec(readFileSync(file, 'utf8'))?.[1] ?? said;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

performance.now = () => {
  const now = realNow();
  look(now);
  if (said !== 'still') last = now / slowedBy + Number(said);
  return last;
};

if (slowedBy !== 1) {
  const { setTimeout, setInterval } = globalThis;
  const slowed = (ms: number | undefined): number => (ms ?? 0) * slowedBy;
  globalThis.setTimeout = Object.assign(
    (work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => setTimeout(work, slowed(ms), ...given),
    setTimeout,
  ) as typeof setTimeout;
  globalThis.setInterval = Object.assign(
    (work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => setInterval(work, slowed(ms), ...given),
    setInterval,
  ) as typeof setInterval;
  const { setTimeout: sleep } = timers;
  timers.setTimeout = ((ms?: number, ...more: [unknown]) => sleep(slowed(ms), ...more)) as typeof sleep;
  syncBuiltinESMExports();
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, slowed(ms));
}

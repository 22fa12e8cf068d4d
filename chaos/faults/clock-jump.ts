import { readFile } from 'node:fs/promises';
import { setClock } from '../../testkit/clock.ts';
import type { Fault } from '../fault.ts';

const hour = 3_600_000;

/** Needs a service with a settable clock. */
export const clockJump: Fault = {
  name: 'clock-jump',
  excuses: { clock: true },
  async strike({ service: { pid, paths } }, random) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    if (!environment.includes('shifted-clock')) return null;
    const offset = random.pick([-26, -5, -1, 1, 5, 26]) * hour + random.integer(-60_000, 60_000);
    await setClock(paths.prefix, offset);
    return { detail: `by ${offset} ms`, heal: () => setClock(paths.prefix, 0) };
  },
};

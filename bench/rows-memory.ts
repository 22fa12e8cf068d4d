// Memory of the idle service. Every other row reports its peak.
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import type { Figure } from './figures.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

/** An idle service checks every five seconds whether to free memory, and does so at the second check. */
const stillSeconds = 20;
const mostSeconds = 60;

export async function* memory(bench: Bench): AsyncGenerator<Figure> {
  yield await idle(bench, 'after the load', 150);
}

export async function* memoryAfter(bench: Bench): AsyncGenerator<Figure> {
  yield await idle(bench, 'after the rows above', null);
}

async function idle(bench: Bench, when: string, goal: number | null): Promise<Figure> {
  const { entries, service } = await bench.large();
  await service.quiet();
  return {
    name: `memory at ${entries}, idle ${when}`,
    value: await settled(service),
    floor: null,
    unit: 'MB',
    goal,
  };
}

/** When it stayed within 2 % for some seconds. */
export async function settled(service: ServiceUnderTest): Promise<number> {
  const seen: number[] = [];
  for (let second = 0; second < mostSeconds; second += 1) {
    seen.push((await service.memory()).now);
    const last = seen.slice(-stillSeconds);
    if (last.length === stillSeconds && Math.max(...last) <= Math.min(...last) * 1.02) break;
    await pause(1_000);
  }
  return seen.at(-1)!;
}

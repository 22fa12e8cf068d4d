// A service that looks back on 90 days: blocked entries of several sources, and what they did.
import { eventually } from '../conditions.ts';
import { mixedEntry } from '../load/lists.ts';
import { RealService, type ServiceOptions } from '../real-service.ts';
import { sampleReasons } from '../sample-words.ts';
import { testSeed } from '../seed.ts';
import { type SeededEntry, writeSeededFigures } from './seeded-figures.ts';

/** Shares of the entries, together 1. */
const sources = [
  { name: 'drop', kind: 'list', share: 0.56 },
  { name: 'scanners', kind: 'list', share: 0.43 },
  { name: 'manual', kind: 'manual', share: 0.01 },
] as const;
const sites = ['shop.example', 'blog.example', 'api.example'];
/** Addresses that were denied. */
const knocking = 8_000;

interface SeededOptions extends ServiceOptions {
  readonly entries: number;
}

export async function startSeeded({ entries, ...options }: SeededOptions): Promise<RealService> {
  const service = await RealService.start(options);
  try {
    await service.healthy();
    const single = new Map<string, SeededEntry[]>();
    let next = 0;
    for (const { name, kind, share } of sources) {
      const list = Array.from({ length: Math.round(entries * share) }, () => mixedEntry(next++));
      const alone = list.filter((text) => !text.includes('/'));
      single.set(
        name,
        alone.map((ip_address) => ({ ip_address, source: name })),
      );
      const body = list.map((ip_address, at) => ({ ip_address, reason: sampleReasons[at % sampleReasons.length] }));
      // A list becomes known by its first `PUT`.
      const answer =
        kind === 'list'
          ? await service.call('PUT', `/api/blocked-ips?source=${name}`, { body })
          : await service.call('POST', '/api/blocked-ips/batch', { body: { add: body } });
      if (answer.status >= 300) throw new Error(`${name} was not taken: ${answer.text.slice(0, 500)}`);
    }
    service.kill('SIGTERM');
    await service.ended();
    const names = sources.map(({ name }) => name);
    const denying = loudestFirst(single).slice(0, knocking);
    const written = { sites, sources: names, grown: 'scanners', entryCount: entries, seed: testSeed };
    await writeSeededFigures(service.paths.database, { ...written, entries: denying, now: new Date() });
    await service.launch();
    await service.healthy();
    await eventually('the figures are loaded', async () => (await service.call('GET', '/api/insight')).status === 200);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/** So many of each source in ten. */
const mixture = { drop: 6, scanners: 3, manual: 1 } as const;

function loudestFirst(bySource: ReadonlyMap<string, readonly SeededEntry[]>): readonly SeededEntry[] {
  const rest = new Map([...bySource].map(([name, entries]) => [name, [...entries].reverse()]));
  const found: SeededEntry[] = [];
  while ([...rest.values()].some(({ length }) => length > 0))
    for (const [name, count] of Object.entries(mixture)) {
      for (let at = 0; at < count; at += 1) {
        const next = rest.get(name)?.pop();
        if (next !== undefined) found.push(next);
      }
    }
  return found;
}

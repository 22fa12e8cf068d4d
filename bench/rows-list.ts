// Pages, searches and the check. The floor has no HTTP or JSON: a prepared query; for the check the row and a `get
// map`.

import { percentile } from '../testkit/load/percentile.ts';
import type { Bench, Pair } from './bench.ts';
import type { Figure } from './figures.ts';

const runs = 200;
const warmUp = 50;
const all = 'SELECT * FROM blocked_ips';

export async function* pages(bench: Bench): AsyncGenerator<Figure> {
  const pair = await bench.large();
  const octet = pair.list[0]!.split('.')[0]!;
  const between = `${all} WHERE ip_address >= ? AND ip_address < ? ORDER BY ip_address LIMIT 100`;
  const queries: readonly (readonly [string, string, string, readonly string[]])[] = [
    ['first page', '', `${all} ORDER BY ip_address LIMIT 100`, []],
    [
      'page from the middle',
      `&cursor=${encodeURIComponent(await middle(pair))}`,
      `${all} WHERE ip_address > ? ORDER BY ip_address LIMIT 100`,
      ['5'],
    ],
    ['search by prefix', `&q=${octet}.1`, between, [`${octet}.1`, `${octet}.2`]],
    ['search by network', `&q=${octet}.0.0.0/9`, between, [`${octet}.`, `${octet}/`]],
    ['search for one address', `&q=${pair.list[0]!}`, `${all} WHERE ip_address = ?`, [pair.list[0]!]],
  ];
  for (const [name, query, sql, parameters] of queries) {
    bench.say(name);
    const own = await repeated(pair, () => `/api/blocked-ips?limit=100${query}`);
    const raw = await pair.floor.raw.call('pages', sql, parameters, runs);
    yield* figures(`list, ${name}, at ${pair.entries}`, own, raw);
  }
  bench.say('check');
  const step = Math.max(1, Math.floor(pair.entries / runs));
  const ips = Array.from({ length: runs }, (_, index) => pair.list[(index * step) % pair.entries]!);
  const own = await repeated(pair, (run) => `/api/check/${ips[run % runs]}`);
  yield* figures(`check of a blocked address at ${pair.entries}`, own, await pair.floor.raw.call('check', ips));
}

/** A cursor from the middle of the list. */
async function middle({ service, entries }: Pair): Promise<string> {
  let cursor = '';
  for (let seen = 0; seen < Math.max(1, entries / 2); seen += 1_000) {
    const limit = Math.min(1_000, Math.max(1, Math.floor(entries / 2)));
    const page: Record<string, unknown> = (await service.ask('GET', `/api/blocked-ips?limit=${limit}${cursor}`)).body;
    const next = page.next_cursor;
    if (typeof next !== 'string') throw new Error(`no page after ${seen + limit} of ${entries}`);
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  return decodeURIComponent(cursor.slice('&cursor='.length));
}

async function repeated({ service }: Pair, pathOf: (run: number) => string): Promise<number[]> {
  const took: number[] = [];
  for (let run = -warmUp; run < runs; run += 1) {
    const answer = await service.ask('GET', pathOf(run + warmUp));
    if (run >= 0) took.push(answer.took);
  }
  return took;
}

function* figures(name: string, own: readonly number[], raw: readonly number[]): Generator<Figure> {
  for (const share of [0.5, 0.99]) {
    yield {
      name: `${name}, p${share * 100}`,
      value: percentile(own, share),
      floor: percentile(raw, share),
      unit: 'ms',
      goal: null,
    };
  }
}

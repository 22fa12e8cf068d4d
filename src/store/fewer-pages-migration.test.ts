import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { entry, StoreFolder } from '../../testkit/store/store-folder.ts';
import { shortKey, sortKey } from '../domain/ip.ts';
import { HitsStore } from './hits-store.ts';
import { type Metric, metrics, type Point, SeriesStore, steps } from './series-store.ts';

let folder: StoreFolder;
beforeEach(() => {
  folder = new StoreFolder();
});
afterEach(() => folder.remove());

const addresses = [
  '0.0.0.0',
  '192.0.2.1',
  '255.255.255.255',
  '::',
  '::1',
  '2002:c000:201::',
  '2001:db8::ff80',
  'ffff::',
];
const entries = [null, '192.0.0.0/16', '128.0.0.0/1', '::1', '2001:db8::/32', '192.0.2.1', '2001:db8::ff80/127'];

/** Back to the schema before 0026. */
function backBefore0026(file: SqliteDatabase.Database): void {
  file.exec("delete from schema_migrations where name = '0026-fewer-pages'");
  file.exec('drop table series');
  file.exec(`create table series (
    metric integer not null, label integer not null, step integer not null, at integer not null, value real not null,
    primary key (metric, label, step, at)
  ) without rowid`);
}

it('figures of denied addresses are kept when their keys get shorter', async () => {
  const rows = addresses.map((text, n) => {
    const by = entries[n % entries.length] ?? null;
    const figures = { total: n, first_hit: n, last_hit: n + 1, counters: `1:${n}`, hour_hits: n };
    return { address: entry(text), by: by === null ? null : entry(by), figures };
  });
  const written = (keyOf: typeof sortKey) =>
    rows.map(({ address, by, figures }) => ({
      ...{ address: keyOf(address), entry: by === null ? null : keyOf(by) },
      ...figures,
    }));
  const fresh = await folder.open();
  await new HitsStore(fresh).write({ knocking: written(shortKey), entries: [], gone: [] });
  const all = async (database: typeof fresh) =>
    await database.read.selectFrom('knocking').selectAll().orderBy('address').execute();
  const before = await all(fresh);
  expect(before).toHaveLength(addresses.length);
  await fresh.close();
  const file = new SqliteDatabase(folder.file);
  backBefore0026(file);
  file.exec('delete from knocking');
  const insert = file.prepare('insert into knocking values (?, ?, ?, ?, ?, ?, ?)');
  for (const row of written(sortKey)) insert.run(...Object.values(row));
  file.close();
  expect(await all(await folder.open())).toEqual(before);
});

it('points of all series are kept when they are ordered by time', async () => {
  const fresh = await folder.open();
  const labels = await Promise.all(['a', 'b'].map((name) => new SeriesStore(fresh).label('site', name)));
  await fresh.close();
  const all = Object.keys(metrics) as Metric[];
  const points: Point[] = all.flatMap((metric) =>
    (metric === 'denied' ? [0, ...labels] : [0]).flatMap((label) =>
      steps.flatMap(({ seconds: step }) =>
        [1, 2, 3].map((n) => ({ metric, label, step, at: n * step, value: label + n })),
      ),
    ),
  );
  const file = new SqliteDatabase(folder.file);
  backBefore0026(file);
  const insert = file.prepare('insert into series values (?, ?, ?, ?, ?)');
  for (const { metric, label, step, at, value } of points) insert.run(metrics[metric], label, step, at, value);
  file.close();
  const series = new SeriesStore(await folder.open());
  for (const metric of all) {
    for (const wanted of [[0], labels, [labels[1]!]]) {
      for (const { seconds: step } of steps) {
        const found = await series.points({ metric, labels: wanted, step, from: step, to: 3 * step });
        const expected = points.filter(
          (one) => one.metric === metric && one.step === step && wanted.includes(one.label) && one.at < 3 * step,
        );
        const byTime = (a: { at: number; label: number }, b: typeof a) => a.at - b.at || a.label - b.label;
        expect(found.toSorted(byTime)).toEqual(
          expected.map(({ label, at, value }) => ({ label, at, value })).toSorted(byTime),
        );
      }
    }
  }
});

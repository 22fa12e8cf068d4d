// `npm run bench`: the service and its floor side by side, on the same machine, in the same run.
//   --entries 1000,1000000   sizes of the set            --proxy-bin haproxy   which proxy
//   --only block,put         some of the rows            --json FILE           the figures as JSON
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Figure, table } from './figures.ts';
import { Floor } from './floor.ts';
import { rows } from './rows.ts';
import { ServiceUnderTest } from './service-under-test.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000,1000000' },
    'proxy-bin': { type: 'string', default: 'haproxy' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});

const sizes = values.entries.split(',').map(Number);
if (sizes.some((size) => !Number.isSafeInteger(size) || size < 1)) {
  throw new Error(`--entries takes numbers above 0 with commas, not ${values.entries}`);
}
const only = values.only?.split(',');
const unknown = only?.find((name) => !(name in rows));
if (unknown !== undefined) throw new Error(`--only knows ${Object.keys(rows).join(', ')}, not ${unknown}`);

const figures: Figure[] = [];
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

for (const entries of sizes) {
  const floor = await Floor.start(values['proxy-bin']);
  try {
    const service = await ServiceUnderTest.start(values['proxy-bin']);
    try {
      process.stderr.write(`${entries} entries on ${values['proxy-bin']}: loading\n`);
      const loaded = { service: await service.load(entries), floor: await floor.load(service.batches(entries)) };
      for (const [name, row] of Object.entries(rows)) {
        if (stop.signal.aborted || (only !== undefined && !only.includes(name))) continue;
        process.stderr.write(`${entries} entries: ${name}\n`);
        figures.push(...(await row({ entries, bin: values['proxy-bin'], service, floor, loaded })));
      }
    } finally {
      await service.stop();
    }
  } finally {
    await floor.stop();
  }
}

process.stdout.write(table(figures));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);

// Bytes that a block writes to disk: enough blocks for several checkpoints of the database.
import type { Bench } from './bench.ts';
import type { Figure } from './figures.ts';

const blocks = 2_000;

export async function* disk(bench: Bench): AsyncGenerator<Figure> {
  const { entries, service, floor } = await bench.large();
  await service.quiet();
  const ips = bench.spares.some(blocks);
  const before = service.bytesWritten();
  for (const ip of ips) await service.block(ip);
  const own = (service.bytesWritten() - before) / ips.length;
  const raw = await floor.raw.call('blocks', ips);
  yield {
    name: `written to disk per block at ${entries}`,
    value: Math.round(own),
    floor: Math.round(raw.bytes),
    unit: 'bytes',
    goal: null,
  };
  await service.remove(ips);
}

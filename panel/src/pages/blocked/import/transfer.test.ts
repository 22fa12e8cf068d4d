import { expect, it } from 'vitest';
import type { ApiClient } from '../../../api/request.ts';
import type { NumberedEntry } from './preview.ts';
import { emptyTally, type Tally, transfer } from './transfer.ts';

const entries = (count: number): NumberedEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    line: n + 1,
    entry: { ip: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` },
  }));

/** Sends `count` entries; resolves with the body sizes in bytes and the batch sizes. */
async function sent(count: number, reason: string): Promise<{ bytes: number[]; sizes: number[]; tally: Tally }> {
  const bytes: number[] = [];
  const sizes: number[] = [];
  let tally = emptyTally;
  const POST = async (_path: string, { body }: { readonly body: { readonly add: readonly unknown[] } }) => {
    bytes.push(new TextEncoder().encode(JSON.stringify(body)).length);
    sizes.push(body.add.length);
    const { length } = body.add;
    return { data: { added: length, unchanged: 0, rejected: [], rejected_total: 0, runtime_map_updated: true } };
  };
  const common = { reason, seconds: 3600 };
  const api = { POST } as unknown as ApiClient;
  await transfer(api, entries(count), common, emptyTally, (now) => (tally = now), new AbortController().signal);
  return { bytes, sizes, tally };
}

it('reports the current size and the limit of a dry run', async () => {
  const POST = async (_path: string, { body }: { readonly body: { readonly add: readonly unknown[] } }) => {
    const facts = { added: body.add.length, updated: 0, removed: 0, unchanged: 0, rejected: [], rejected_total: 0 };
    return { data: { ...facts, runtime_map_updated: true, dry_run: true, current_total: 70_000, limit: 100_000 } };
  };
  const api = { POST } as unknown as ApiClient;
  let tally = emptyTally;
  const common = { reason: '', seconds: null };
  const { signal } = new AbortController();
  await transfer(api, entries(45_000), common, emptyTally, (now) => (tally = now), signal, { dry: true });
  expect(tally).toMatchObject({ added: 45_000, room: { total: 70_000, limit: 100_000 } });
});

it('counts all wide networks, also beyond the thousand listed rejections', async () => {
  const wide = Array.from({ length: 1_500 }, (_, n) => ({
    line: n + 1,
    entry: { ip: `${(2 * n + 2).toString(16)}::/15` },
  }));
  const POST = async (_path: string, { body }: { readonly body: { readonly add: readonly unknown[] } }) => {
    const rejected = body.add.slice(0, 1_000).map((_, index) => ({ index, value: '', why: 'wide', code: 6030 }));
    return { data: { added: 0, unchanged: 0, rejected, rejected_total: 1_500, runtime_map_updated: true } };
  };
  const api = { POST } as unknown as ApiClient;
  let tally = emptyTally;
  const common = { reason: '', seconds: null };
  await transfer(api, wide, common, emptyTally, (now) => (tally = now), new AbortController().signal, { dry: true });
  expect(tally).toMatchObject({ rejectedTotal: 1_500, tooWide: 1_500 });
});

it('sends batches of 20,000', async () => {
  const { sizes, tally } = await sent(45_000, 'scan');
  expect(sizes).toEqual([20_000, 20_000, 5_000]);
  expect(tally).toMatchObject({ done: 45_000, added: 45_000, enforced: true });
});

it('sends smaller batches where long reasons would exceed the service’s limit', async () => {
  const { bytes, sizes, tally } = await sent(25_000, '攻'.repeat(500));
  expect(Math.max(...bytes)).toBeLessThan(16 * 1024 * 1024);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(25_000);
  expect(tally.done).toBe(25_000);
});

it('counts updated and unchanged entries apart, and changes nothing in a dry run', async () => {
  const queries: unknown[] = [];
  const POST = async (_path: string, { params }: { readonly params?: { readonly query: unknown } }) => {
    queries.push(params?.query);
    const facts = {
      added: 1,
      updated: 2,
      unchanged: 3,
      rejected_total: 1,
      runtime_map_updated: true,
    };
    return { data: { ...facts, rejected: [{ index: 0, value: '10.0.0.0/8', why: 'wide', code: 6030 }] } };
  };
  const api = { POST } as unknown as ApiClient;
  let tally = emptyTally;
  const common = { reason: '', seconds: null };
  const ask = (dry: boolean) =>
    transfer(api, entries(7), common, emptyTally, (now) => (tally = now), new AbortController().signal, { dry });
  await ask(true);
  expect(tally).toMatchObject({ added: 1, updated: 2, unchanged: 3, tooWide: 1 });
  await ask(false);
  expect(queries).toEqual([{ dry_run: true }, undefined]);
});

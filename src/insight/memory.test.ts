// What the service remembers of a denied address takes little memory (docs/insight.md).
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { liveBytes } from '../../testkit/live-bytes.ts';
import { block, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import { Knocking, mostAddresses, mostNew } from './knocking.ts';

let folder: StoreFolder;
let store: BlockedIpsStore;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  const database = await folder.open();
  ({ store } = storesOf(database));
  await block(store, '198.18.0.0/15', '2001:db8::/32');
  kit = new InsightKit(database);
});
afterEach(() => folder.remove());

const addresses = 32_000;
/** What the tables have from the start, for as many addresses as there may be. */
function tableBytes(): number {
  const before = process.memoryUsage().arrayBuffers;
  const table = new Knocking();
  const bytes = process.memoryUsage().arrayBuffers - before;
  expect(table.size).toBe(0);
  // What is not used is not written, and takes no memory.
  return bytes * (mostAddresses / (mostAddresses + mostNew));
}

it('a table that is full has room for the new addresses of a reading', () => {
  const table = new Knocking();
  const before = process.memoryUsage().arrayBuffers;
  for (let n = 0; n < mostAddresses + mostNew; n += 1) table.count(table.rowOf([0, 0, 0xffff, n]), 1, null, 1);
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(before + 100_000);
  expect(table.size).toBe(mostAddresses + mostNew);
});

it('a denied address takes at most 170 bytes, in all that remembers it, once it is stored', async () => {
  const addressOf = (n: number) =>
    n % 2 === 0
      ? `198.18.${(n >> 9) & 255}.${(n >> 1) & 255}`
      : `2001:db8:${(n >> 1).toString(16)}:${n.toString(16)}::1`;
  await kit.pass(70, () => kit.haproxy.deny('198.19.0.1'));
  const before = await liveBytes();
  for (let n = 0; n < addresses; n += 1) kit.haproxy.deny(addressOf(n));
  await kit.pass(70);
  // What the test's HAProxy remembers, and which entries were looked up lately, does not count.
  kit.haproxy.start();
  await block(store, '203.0.113.0/24');
  kit.haproxy.deny(addressOf(0));
  await kit.pass(70);
  const { state } = kit.insight.state!;
  expect(state.knocking.size).toBe(addresses + 1);
  expect(state.knocking.unstored).toBe(0);
  const each = ((await liveBytes()) - before) / addresses;
  expect(each + tableBytes() / mostAddresses).toBeLessThan(170);
});

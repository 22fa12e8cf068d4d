import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { block, entry, StoreFolder, scattered, storesOf } from '../../testkit/store/store-folder.ts';
import { covers } from '../domain/ip.ts';
import { BlockedKeys } from './blocked-keys.ts';
import { coveredAmong } from './covered-among.ts';
import type { Database } from './open-database.ts';

const folder = new StoreFolder();
let database: Database;
beforeAll(async () => {
  database = await folder.open();
});
afterAll(() => folder.remove());

it('finds the narrowest network around each address, like single lookups, however networks nest', async () => {
  const { store } = storesOf(database);
  const networks = ['10.0.0.0/8', '10.1.0.0/16', '10.1.2.0/24', '10.2.0.0/16', '192.0.2.0/24', '2001:db8::/32'];
  // More than a slice of plain addresses between them.
  await block(store, ...networks, ...new Set(Array.from({ length: 20_000 }, (_, n) => scattered(n).text)));
  const asked = fc.oneof(
    fc.tuple(fc.constantFrom(10, 192), fc.nat(3), fc.nat(3), fc.nat(255)).map((parts) => entry(parts.join('.'))),
    fc.constantFrom(...networks, '2001:db8::1', '2001:db9::1', '10.1.2.0/25', '0.0.0.0', '255.255.255.255').map(entry),
    fc.nat(20_000).map(scattered),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(asked, { maxLength: 50 }), async (entries) => {
      const covered = await coveredAmong(new BlockedKeys(database.read), database.read, entries);
      for (const one of entries) {
        const around = networks.map(entry).filter((network) => network.text !== one.text && covers(network, one));
        const narrowest = around.sort((a, b) => b.prefix - a.prefix)[0]?.text;
        expect(covered.get(one.text)).toBe(narrowest);
      }
      expect(await store.coveredAmong(entries)).toEqual(covered);
    }),
    { numRuns: 30 },
  );
});

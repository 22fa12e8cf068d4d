import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caseCount } from '../../testkit/proxies.ts';
import { block, entry, NOON, nothing, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { covers, lookupForms, parseIp } from '../domain/ip.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import { EntryLookup } from '../store/entry-lookup.ts';
import { Attribution } from './attribution.ts';

let folder: StoreFolder;
let store: BlockedIpsStore;
let attribution: Attribution;

beforeEach(async () => {
  folder = new StoreFolder();
  const database = await folder.open();
  ({ store } = storesOf(database));
  attribution = new Attribution(new EntryLookup(database), 1_000);
});
afterEach(() => folder.remove());

const unblock = (text: string) => store.applyGroup([{ op: 'remove', entry: entry(text) }], NOON, nothing);
const entriesOf = async (...addresses: string[]) => {
  const found = await attribution.of(addresses);
  return addresses.map((address) => found.get(address)?.entry ?? null);
};

// Few distinct bits, so that networks lie inside one another.
const byte = fc.constantFrom(0, 1, 128, 129, 255);
const ipv4 = fc.tuple(fc.constantFrom(10, 11), byte, byte, byte).map((bytes) => bytes.join('.'));
const ipv6 = fc
  .tuple(fc.constantFrom('2001:db8', '2002:a80'), byte, byte)
  .map(([start, a, b]) => `${start}:${a.toString(16)}::${b.toString(16)}`);
const networkOf = (text: string, prefix: number): string => {
  const parsed = parseIp(`${text}/${prefix}`);
  if (parsed.ok) return parsed.entry.text;
  return parsed.meant?.text ?? text;
};
const network = fc.oneof(
  fc.tuple(ipv4, fc.integer({ min: 7, max: 32 })).map(([text, prefix]) => networkOf(text, prefix)),
  fc.tuple(ipv6, fc.integer({ min: 17, max: 128 })).map(([text, prefix]) => networkOf(text, prefix)),
);

describe('attribution', () => {
  it('finds the longest prefix among nested networks, whatever is added and removed', async () => {
    const change = fc.record({ text: network, add: fc.boolean(), ask: fc.oneof(ipv4, ipv6) });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(network, { maxLength: 200 }),
        fc.array(change, { maxLength: 20 }),
        async (set, changes) => {
          const blocked = new Set(set);
          await block(store, ...blocked);
          const longest = (text: string): string | null => {
            for (const form of lookupForms(entry(text))) {
              const around = [...blocked].map(entry).filter((one) => covers(one, form));
              const narrowest = around.sort((a, b) => b.prefix - a.prefix)[0];
              if (narrowest !== undefined) return narrowest.text;
            }
            return null;
          };
          for (const { text, add, ask } of changes) {
            if (add) await block(store, text);
            else await unblock(text);
            if (add) blocked.add(text);
            else blocked.delete(text);
            expect(await entriesOf(ask)).toEqual([longest(ask)]);
          }
          for (const text of blocked) await unblock(text);
        },
      ),
      { numRuns: caseCount(20) },
    );
  });

  it('reads the database once for each address, until the set changes', async () => {
    await block(store, '192.0.2.0/24');
    const asked: string[][] = [];
    let generation = 1;
    const cached = new Attribution(
      {
        generation: async () => generation,
        around: async (addresses) => {
          asked.push([...addresses]);
          return new Map();
        },
      },
      3,
    );
    await cached.of(['192.0.2.1', '192.0.2.2']);
    await cached.of(['192.0.2.1', '192.0.2.3']);
    generation = 2;
    await cached.of(['192.0.2.1']);
    expect(asked).toEqual([['192.0.2.1', '192.0.2.2'], ['192.0.2.3'], ['192.0.2.1']]);
  });

  it('finds all of them when its cache is full', async () => {
    await block(store, '192.0.2.0/24', '198.51.100.0/24');
    const many = Array.from({ length: 999 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
    await attribution.of(['192.0.2.7', ...many]);
    expect(await entriesOf('192.0.2.7', '198.51.100.1', '198.51.100.2')).toEqual([
      '192.0.2.0/24',
      '198.51.100.0/24',
      '198.51.100.0/24',
    ]);
  });

  it('attributes 6to4 and IPv4-compatible sources to the IPv4 entry by which HAProxy denies them', async () => {
    await block(store, '192.0.2.0/24', '192.0.2.7', '2001:db8::/32');
    expect(await entriesOf('2002:c000:207::1', '::192.0.2.7')).toEqual(['192.0.2.7', '192.0.2.7']);
    expect(await entriesOf('192.0.2.9', '2002:c000:209::1', '::192.0.2.9', '2001:db8::9', '198.51.100.1')).toEqual([
      '192.0.2.0/24',
      '192.0.2.0/24',
      '192.0.2.0/24',
      '2001:db8::/32',
      null,
    ]);
  });
});

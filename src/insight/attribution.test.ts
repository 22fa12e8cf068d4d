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
  attribution = new Attribution(new EntryLookup(database));
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

  /** Finds one entry for each address in 192.0.2.0/24 and for itself in 198.51.100.0/24. */
  const recorded = () => {
    const asked: string[] = [];
    const source = {
      now: 1,
      generation: async () => source.now,
      around: async (addresses: readonly string[]) => {
        asked.push(...addresses);
        const entryOf = (one: string) =>
          one.startsWith('192.0.2.') ? '192.0.2.0/24' : one.startsWith('198.51.100.') ? one : null;
        return new Map(
          addresses.flatMap((one) => {
            const text = entryOf(one);
            return text === null ? [] : [[one, { entry: text, source: source.now, others: 0 }] as const];
          }),
        );
      },
    };
    return { source, cached: new Attribution(source), asked: () => asked.splice(0) };
  };

  it('reads the database once for each address, until the set changes', async () => {
    const { source, cached, asked } = recorded();
    await cached.of(['192.0.2.1', '203.0.113.1']);
    expect(asked()).toEqual(['192.0.2.1', '203.0.113.1']);
    await cached.of(['192.0.2.1', '203.0.113.1', '192.0.2.3']);
    expect(asked()).toEqual(['192.0.2.3']);
    source.now = 2;
    expect((await cached.of(['192.0.2.1'])).get('192.0.2.1')?.source).toBe(2);
    expect(asked()).toEqual(['192.0.2.1']);
  });

  it('forgets texts for which the reading before did not ask', async () => {
    const { cached, asked } = recorded();
    const both = ['192.0.2.1', '203.0.113.1'];
    const lookedUp: string[][] = [];
    for (const reading of [both, both, ['192.0.2.1'], both]) {
      cached.startReading();
      await cached.of(reading);
      lookedUp.push(asked());
    }
    expect(lookedUp).toEqual([both, [], [], ['203.0.113.1']]);
  });

  it('reads the database once for each row, until the set changes or the row has another address', async () => {
    const { source, cached, asked } = recorded();
    const addresses = ['', '192.0.2.1', '203.0.113.1', '198.51.100.1', '192.0.2.2'];
    const ofRows = async (...rows: number[]) =>
      (await cached.ofRows(rows, (row) => addresses[row]!)).map((found) => found?.entry ?? null);
    expect(await ofRows(2, 1, 3)).toEqual([null, '192.0.2.0/24', '198.51.100.1']);
    expect(asked()).toEqual(['203.0.113.1', '192.0.2.1', '198.51.100.1']);
    expect(await ofRows(1, 2, 3, 4)).toEqual(['192.0.2.0/24', null, '198.51.100.1', '192.0.2.0/24']);
    expect(asked()).toEqual(['192.0.2.2']);
    addresses[4] = '203.0.113.9';
    cached.forget(4);
    expect(await ofRows(4, 1)).toEqual([null, '192.0.2.0/24']);
    expect(asked()).toEqual(['203.0.113.9']);
    source.now = 2;
    expect((await cached.ofRows([4, 1], (row) => addresses[row]!)).map((found) => found?.source)).toEqual([
      undefined,
      2,
    ]);
    expect(asked()).toEqual(['203.0.113.9', '192.0.2.1']);
  });

  it('finds the entries of more rows and texts than it can cache', async () => {
    const { cached, asked } = recorded();
    const many = Array.from({ length: 25_000 }, (_, n) => `198.51.100.${n}`);
    for (let time = 0; time < 2; time += 1) {
      const found = await cached.ofRows([...many.keys()], (row) => many[row]!);
      expect(found.map((one) => one?.entry)).toEqual(many);
      const texts = await cached.of(many);
      expect(many.filter((one) => texts.get(one)?.entry !== one)).toEqual([]);
    }
    asked();
    const late = async () => await cached.ofRows([24_000], (row) => many[row]!);
    await late();
    expect(asked()).toEqual([many[24_000]]);
    for (let reading = 0; reading < 59; reading += 1) cached.startReading();
    await late();
    expect(asked()).toEqual([many[24_000]]);
    cached.startReading();
    await late();
    asked();
    await late();
    expect(asked()).toEqual([]);
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

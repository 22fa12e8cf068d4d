import { expect, test } from 'vitest';
import type { EntryMap } from '../../api/entry-map.ts';
import { areasOf, blockOf, slash8Of, usedCells } from './map-areas.ts';
import { colourTable } from './map-colours.ts';

test.each(['45.0.0.0/8', '0.0.0.0/8', '255.0.0.0/8'])('%s can be opened', (text) => expect(slash8Of(text)).toBe(text));
test.each(['45.0.0.0/9', '45.1.0.0/8', '256.0.0.0/8', '045.0.0.0/8', '', '::/8'])('%j cannot', (text) =>
  expect(slash8Of(text)).toBeNull(),
);

test('divides IPv4 into /8, and a /8 into /14', () => {
  expect(areasOf(null).networks).toHaveLength(4 ** areasOf(null).order);
  const { networks, order } = areasOf('45.0.0.0/8');
  expect([networks.length, networks[0], networks.at(-1)]).toEqual([4 ** order, '45.0.0.0/14', '45.252.0.0/14']);
});

test('counts what an area has', () => {
  const cells = new Uint8Array(4_096);
  cells.set([1, 0, 255], 1_024);
  const blocks = [{ network: '1.0.0.0/8', entries: 2, addresses: 300 }];
  const map: EntryMap = { layer: 'density', network: '0.0.0.0/0', cells, sources: [], blocks, sizes: [], widest: [] };
  expect([usedCells(map, 0), usedCells(map, 1)]).toEqual([0, 2]);
  expect(blockOf(map, '1.0.0.0/8')).toBe(blocks[0]);
  expect(blockOf(map, '2.0.0.0/8')).toEqual({ network: '2.0.0.0/8', entries: 0, addresses: 0 });
});

test.each(['density', 'source', 'hits', 'expiry'] as const)(
  'shows in the layer %s that something is blocked',
  (layer) => {
    for (const theme of ['light', 'dark'] as const) {
      const table = colourTable(layer, theme);
      const empty = [...table.subarray(0, 3)];
      for (const value of [1, 2, 6]) {
        const shown = [...table.subarray(value * 3, value * 3 + 3)];
        const apart = shown.reduce((sum, channel, at) => sum + Math.abs(channel - (empty[at] ?? 0)), 0);
        expect([theme, value, apart > 60]).toEqual([theme, value, true]);
      }
    }
  },
);

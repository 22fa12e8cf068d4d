import { expect, test } from 'vitest';
import type { EntryMap } from '../../api/entry-map.ts';
import { areasOf, cellsOfArea } from './map-areas.ts';
import { labelTones } from './map-labels.ts';

const map: EntryMap = {
  ...{ layer: 'density', network: '0.0.0.0/0', sources: [], blocks: [], sizes: [], widest: [] },
  // Of all networks only 45.0.0.0/8 is full.
  cells: new Uint8Array(256 * cellsOfArea).fill(255, 45 * cellsOfArea, 46 * cellsOfArea),
};

test.each([
  ['light', 'dark', 'light'],
  ['dark', 'light', 'dark'],
] as const)(
  'writes over full cells of the %s theme in the colour that is not that of empty ones',
  (theme, empty, full) => {
    const tones = labelTones(map, areasOf(null), theme);
    expect([tones[44], tones[45], tones[46]]).toEqual([empty, full, empty]);
    expect(tones).toHaveLength(256);
  },
);

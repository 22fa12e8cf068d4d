// The colour of the text over a part of the map: cells may be as dark or as bright as either text.
import type { EntryMap } from '../../api/entry-map.ts';
import { cellAt, placeOf } from '../../charts/hilbert.ts';
import type { MapAreas } from './map-areas.ts';
import { colourTable, type Theme } from './map-colours.ts';

export type LabelTone = 'light' | 'dark';

/** The corner of an area that its label covers, in parts of the area. */
const covered = { width: 0.4, height: 0.3 } as const;
/** White and black text have the same contrast on it (WCAG 2.2). */
const middle = 0.179;

/** Of the text of each area: light text on dark cells. */
export function labelTones({ cells, layer }: EntryMap, areas: MapAreas, theme: Theme): readonly LabelTone[] {
  const luminance = luminances(layer, theme);
  const side = 2 ** (areas.cellOrder - areas.order);
  return areas.networks.map((_, place) => {
    const area = cellAt(areas.order, place);
    let sum = 0;
    let count = 0;
    for (let y = 0; y < side * covered.height; y += 1) {
      for (let x = 0; x < side * covered.width; x += 1) {
        const at = placeOf(areas.cellOrder, { x: area.x * side + x, y: area.y * side + y });
        sum += luminance[cells[at] ?? 0] ?? 0;
        count += 1;
      }
    }
    return sum / count < middle ? 'light' : 'dark';
  });
}

/** Of the colour of each value of a cell. */
function luminances(layer: EntryMap['layer'], theme: Theme): Float64Array {
  const colours = colourTable(layer, theme);
  const linear = (at: number): number => {
    const share = (colours[at] ?? 0) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return Float64Array.from(
    { length: 256 },
    (_, value) => 0.2126 * linear(value * 3) + 0.7152 * linear(value * 3 + 1) + 0.0722 * linear(value * 3 + 2),
  );
}

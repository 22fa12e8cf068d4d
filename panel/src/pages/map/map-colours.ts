import type { EntryMap, MapLayer } from '../../api/entry-map.ts';

type Colour = readonly [red: number, green: number, blue: number];
export type Theme = 'light' | 'dark';

interface ThemeColours {
  readonly ground: Colour;
  /** Networks in which no client can be, such as 10.0.0.0/8. */
  readonly unused: Colour;
  /** Of layers that show how much. */
  readonly scale: readonly [Colour, Colour, Colour, Colour];
  /** As `--chart-1` and so on in `global.css`. */
  readonly sources: readonly [Colour, Colour, Colour, Colour, Colour];
  /** From "within an hour" to "permanent". */
  readonly expiry: readonly [Colour, Colour, Colour, Colour, Colour, Colour];
}

const themes: Readonly<Record<Theme, ThemeColours>> = {
  dark: {
    ground: [16, 19, 23],
    unused: [29, 33, 38],
    scale: [
      [34, 44, 86],
      [62, 92, 200],
      [125, 151, 245],
      [214, 224, 255],
    ],
    sources: [
      [124, 157, 255],
      [63, 192, 170],
      [226, 168, 74],
      [207, 127, 198],
      [139, 147, 160],
    ],
    expiry: [
      [255, 214, 140],
      [240, 176, 84],
      [200, 140, 70],
      [110, 150, 200],
      [84, 116, 190],
      [90, 98, 112],
    ],
  },
  light: {
    ground: [250, 250, 251],
    unused: [233, 236, 240],
    scale: [
      [200, 212, 248],
      [130, 156, 236],
      [64, 94, 208],
      [24, 42, 122],
    ],
    sources: [
      [58, 98, 216],
      [22, 144, 127],
      [184, 115, 15],
      [163, 69, 154],
      [109, 118, 130],
    ],
    expiry: [
      [150, 80, 0],
      [196, 118, 20],
      [224, 160, 80],
      [120, 160, 220],
      [74, 110, 200],
      [150, 158, 170],
    ],
  },
};

/** Sources with a colour of their own; the others share one. */
export const colouredSources = 4;

export const expirySteps = [
  'within an hour',
  'within a day',
  'within 7 days',
  'within 30 days',
  'later',
  'permanent',
] as const;

/** For each value of a cell its colour, three bytes each. */
export function colourTable(layer: MapLayer, theme: Theme): Uint8Array {
  const table = new Uint8Array(256 * 3);
  for (let value = 0; value < 256; value += 1) table.set(colourOf(layer, theme, value), value * 3);
  return table;
}

function colourOf(layer: MapLayer, theme: Theme, value: number): Colour {
  const { ground, scale, sources, expiry } = themes[theme];
  if (value === 0) return ground;
  if (layer === 'source') return sources[Math.min(value - 1, colouredSources) as 0];
  if (layer === 'expiry') return expiry[Math.min(value, expiry.length) - 1] ?? ground;
  // A level below an eighth could not be seen.
  return between(scale, Math.min(1, 0.12 + (value / 255) * 0.95));
}

function between(stops: readonly Colour[], share: number): Colour {
  const at = share * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  const [from, to] = [stops[low] as Colour, stops[low + 1] as Colour];
  const mixed = (channel: 0 | 1 | 2): number => Math.round(from[channel] + (to[channel] - from[channel]) * (at - low));
  return [mixed(0), mixed(1), mixed(2)];
}

export function unusedColour(theme: Theme): Colour {
  return themes[theme].unused;
}

/** Of the first byte of an address. */
export function isUnused(first: number): boolean {
  return first === 0 || first === 10 || first === 127 || first >= 224;
}

interface LegendItem {
  readonly label: string;
  readonly colour: string;
}

export function cssOf([red, green, blue]: Colour): string {
  return `rgb(${red} ${green} ${blue})`;
}

/** Of layers with a colour for each meaning. */
export function legendOf({ layer, sources }: EntryMap, theme: Theme): readonly LegendItem[] {
  const colours = themes[theme];
  if (layer === 'expiry')
    return expirySteps.map((label, at) => ({ label, colour: cssOf(colours.expiry[at] ?? colours.ground) }));
  if (layer !== 'source') return [];
  const named = sources
    .slice(0, colouredSources)
    .map((label, at) => ({ label, colour: cssOf(colours.sources[at as 0]) }));
  const others = { label: 'another source', colour: cssOf(colours.sources[colouredSources]) };
  return sources.length > colouredSources ? [...named, others] : named;
}

/** From the least to the most. */
export function scaleGradient(theme: Theme): string {
  const stops = themes[theme].scale.map(cssOf);
  return `linear-gradient(to right, ${stops.join(', ')})`;
}

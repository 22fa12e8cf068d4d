import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import { count, flag, listOf, model, oneOf, text, texts } from './schema.ts';

const layers = ['density', 'source', 'hits', 'expiry'] as const;

const MapQuery = Type.Object(
  {
    layer: Type.Optional({
      ...oneOf(
        layers,
        'What a cell shows; absent: `density`. `density`: 0 for none, else 1 + 254 · log2(1 + blocked addresses) / log2(1 + addresses of a cell). `source`: 0 for none, else the place in `sources` of the source that claims most of it, from 1; the number after the last of fifteen: another source. `hits`: 0 for none, else 1 + 254 · log2(1 + requests of clients in it that were denied in the last 24 hours) / log2(1,000,001), at most 255. `expiry`: 0 for none; 1 to 4: the entry that ends first ends within an hour, a day, seven days, 30 days; 5: later; 6: all are permanent.',
      ),
      mustBe: 'density, source, hits or expiry',
      examples: ['density'],
    }),
    network: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 49,
        description: 'Only this IPv4 network, a /8 to /16, with cells of /24; absent: all of IPv4, with cells of /18.',
        mustBe: 'an IPv4 network from /8 to /16, such as 45.0.0.0/8',
        examples: ['45.0.0.0/8'],
      }),
    ),
  },
  { additionalProperties: false },
);

const MapBlock = model('MapBlock', 'A network of 1,024 cells: a /8, or with `network` a /14.', {
  network: text('The network.'),
  entries: count('How many entries begin in it.'),
  addresses: count('How many of its addresses are blocked, each counted once.'),
  denied: Type.Optional(
    count('How many requests of its addresses were denied in the last 24 hours; only of the layer `hits`.'),
  ),
});

const MapSize = model('MapSize', 'How many entries have a size.', {
  prefix: Type.Integer({ minimum: 1, maximum: 32, description: 'The prefix of an entry; 32: a single address.' }),
  entries: count('How many entries with it begin in the map or cover it.'),
});

const MapNetwork = model('MapNetwork', 'A blocked network.', {
  network: text('The network.'),
  addresses: count('How many addresses it has.'),
});

const EntryMap = model('EntryMap', 'Which IPv4 addresses are blocked, as a map.', {
  layer: oneOf(layers, 'What a cell shows.'),
  network: text('What the map covers; `0.0.0.0/0` is all of IPv4.'),
  cell_prefix: Type.Integer({ minimum: 18, maximum: 24, description: 'The prefix of a cell.' }),
  cells: text(
    'One byte for each cell in the order of addresses, which is also the order of cells along a Hilbert curve; in base64.',
  ),
  sources: texts('The names of the sources of the layer `source`, the one with most entries first, at most fifteen.'),
  blocks: listOf(MapBlock, 'The networks with a blocked address or a denied request, in the order of addresses.'),
  sizes: listOf(MapSize, 'The entries by size, the widest first. Only sizes that an entry has.'),
  widest: listOf(
    MapNetwork,
    'The widest blocked networks that begin in the map or cover it, at most eight; of the same size in the order of addresses.',
  ),
  complete: Type.Optional(
    flag('All of the last 24 hours was watched; else there may have been more. Only of the layer `hits`.'),
  ),
});
export type EntryMap = Static<typeof EntryMap>;
export type EntryMapQuery = Static<typeof MapQuery>;

export const getEntryMap = operation({
  id: 'getEntryMap',
  method: 'GET',
  path: '/api/insight/map',
  access: 'read',
  audit: null,
  tag: 'Blocked addresses',
  summary: 'Get a map of the blocked IPv4 addresses',
  description:
    'All of IPv4 is 262,144 cells. Cells and networks are of the same moment. The layer `hits` needs the figures of denied requests (7010, 7011).',
  query: MapQuery,
  answers: {
    200: { description: 'The map.', schema: EntryMap, headers: ['Vary'] },
    304: { description: 'It is the map with this `ETag`.' },
  },
  codes: [codes.InvalidAddress, codes.InsightOff, codes.InsightLoading],
  examples: {
    network: {
      summary: 'A network without a blocked address',
      query: { layer: 'density', network: '45.83.0.0/16' },
      answer: {
        layer: 'density',
        network: '45.83.0.0/16',
        cell_prefix: 24,
        cells: Buffer.alloc(256).toString('base64'),
        sources: [],
        blocks: [],
        sizes: [],
        widest: [],
      },
    },
  },
});

export const insightMapOperations = [getEntryMap] as const;

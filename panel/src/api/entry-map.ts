import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys } from './query-keys.ts';

export const mapLayers = ['density', 'source', 'hits', 'expiry'] as const;
export type MapLayer = (typeof mapLayers)[number];

export interface MapBlock {
  readonly network: string;
  readonly entries: number;
  readonly addresses: number;
  /** Requests of the last 24 hours; only of the layer `hits`. */
  readonly denied?: number;
}

export interface EntryMap {
  readonly layer: MapLayer;
  /** `0.0.0.0/0`: all of IPv4. */
  readonly network: string;
  /** One byte for each cell, along the Hilbert curve. */
  readonly cells: Uint8Array;
  readonly sources: readonly string[];
  /** Only those with a blocked address or a denied request. */
  readonly blocks: readonly MapBlock[];
  /** How many entries begin there, by prefix; only prefixes that an entry has. */
  readonly sizes: readonly { readonly prefix: number; readonly entries: number }[];
  /** The widest first. */
  readonly widest: readonly { readonly network: string; readonly addresses: number }[];
  /** Of the layer `hits`: all of the 24 hours was watched. */
  readonly complete?: boolean;
}

/** Some 100 kB: less often than other lists, and by no event. */
const everyMs = 60_000;

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** @param network a /8; null: all of IPv4 */
export function useEntryMap(layer: MapLayer, network: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.entryMap(layer, network),
    queryFn: async ({ signal }): Promise<EntryMap> => {
      const query = { layer, ...(network === null ? {} : { network }) };
      const { data } = await api.GET('/api/insight/map', { params: { query }, signal });
      return { ...data, cells: bytesOf(data.cells) };
    },
    refetchInterval: everyMs,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}

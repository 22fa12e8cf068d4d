import { useState } from 'react';
import type { BlockedIp } from '../../api/types.ts';

interface Selection {
  /** All that the filters select, whether loaded or not. */
  readonly all: boolean;
  readonly entries: ReadonlyMap<string, BlockedIp>;
  /** @param range null: changes whether this entry is selected */
  readonly select: (entry: BlockedIp, range: readonly BlockedIp[] | null) => void;
  readonly selectAll: () => void;
  readonly drop: (entries: readonly BlockedIp[]) => void;
  /** Only these stay selected. */
  readonly keep: (entries: readonly BlockedIp[]) => void;
  readonly clear: () => void;
}

const none: ReadonlyMap<string, BlockedIp> = new Map();

export function useSelection(): Selection {
  const [all, setAll] = useState(false);
  const [entries, setEntries] = useState(none);
  const keep = (kept: readonly BlockedIp[]): void => {
    setAll(false);
    setEntries(new Map(kept.map((entry) => [entry.ip_address, entry])));
  };
  return {
    all,
    entries,
    select: (entry, range) => {
      // Without one, it is no longer all: what stays is the entries selected before, of which this one is none.
      setAll(false);
      setEntries((before) => {
        const after = new Map(before);
        if (range !== null) for (const one of range) after.set(one.ip_address, one);
        else if (!after.delete(entry.ip_address) && !all) after.set(entry.ip_address, entry);
        return after;
      });
    },
    selectAll: () => setAll(true),
    drop: (removed) => {
      const addresses = new Set(removed.map(({ ip_address: ip }) => ip));
      setEntries((before) => new Map([...before].filter(([ip]) => !addresses.has(ip))));
    },
    keep,
    clear: () => keep([]),
  };
}

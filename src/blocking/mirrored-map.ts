// A set that is kept three times: in the database, in a map file, in the map of every worker. The blocked set and
// the trusted set are such sets; comparing and repairing is the same for both.
import type { RuntimeMap } from '../haproxy/maps/runtime-map.ts';
import type { Fingerprint } from './compare/fingerprint.ts';

export type MapName = 'blocked' | 'trusted';

export interface MirroredMap {
  readonly name: MapName;
  readonly runtime: RuntimeMap;
  /** True: the live configuration does not use it, so that no worker loads it. */
  readonly unusedByConfiguration?: boolean;
  /** What every worker should hold, as of now; changes with every committed change. */
  readonly expected: Fingerprint;
  /** The canonical texts of the database, page by page. Changes made meanwhile may or may not be in it. */
  scan(): AsyncIterable<readonly string[]>;
  /** Makes `expected` anew from the database, which somebody seems to have edited. */
  reread(): Promise<void>;
  /** Which of these texts the database holds. To be asked inside a turn, so that the answer stays true in it. */
  members(texts: readonly string[]): Promise<ReadonlySet<string>>;
}

// The read-back of rules 4, 5 and 8.
import { isGoodAdd, isGoodDelete, parseGetMap } from '../socket/replies.ts';
import { hides } from './runtime-map-commands.ts';

export interface EntryFailure {
  readonly ip_address: string;
  /** The worker's pid; null: the current worker, pid unknown. */
  readonly worker: number | null;
  readonly command: string;
  readonly responses: readonly string[];
  /**
   * `rejected`, `read-back absent`, `read-back present`, `wrong value`, `unknown reply`, `worker gone`, or why the
   * socket failed.
   */
  readonly reason: string;
}

export type Intent = 'add' | 'remove';

export type Lookup =
  | { readonly state: 'exact'; readonly value: string }
  | { readonly state: 'absent' }
  /** A more specific entry answered instead: only `show map` shows this one. */
  | { readonly state: 'hidden' }
  | { readonly state: 'unknown' };

/** What the `get map` of `key` shows about the entry `key` itself. */
export function lookupOf(key: string, getMapBody: string): Lookup {
  const reply = parseGetMap(getMapBody);
  if (reply.found === 'unknown') return { state: 'unknown' };
  if (!reply.found) return { state: 'absent' };
  if (reply.key === key) return { state: 'exact', value: reply.value };
  return { state: hides(reply.key, key) ? 'hidden' : 'absent' };
}

/** The same from a `show map`: of the entries with exactly this key the first one wins a lookup. */
export function lookupInDump(values: readonly string[], wanted: string): Lookup {
  const [first] = values;
  if (first === undefined) return { state: 'absent' };
  const wrong = values.find((value) => value !== wanted);
  return { state: 'exact', value: wrong ?? first };
}

/**
 * Null: the entry is as intended. `after` must not be `hidden`: resolve it from a dump first.
 * @param value of an addition
 */
export function failureReason(intent: Intent, value: string, mutation: string | null, after: Lookup): string | null {
  if (mutation !== null && !(intent === 'add' ? isGoodAdd(mutation) : isGoodDelete(mutation))) return 'rejected';
  if (after.state === 'unknown') return 'unknown reply';
  if (intent === 'remove') return after.state === 'exact' ? 'read-back present' : null;
  if (after.state === 'absent') return 'read-back absent';
  return after.state === 'exact' && after.value !== value ? 'wrong value' : null;
}

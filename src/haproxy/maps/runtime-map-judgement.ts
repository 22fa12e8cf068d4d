// What the replies say about one address: the read-back of rule 4, rule 5 and rule 8. Pure.
import { isGoodAdd, isGoodDelete, parseGetMap } from '../socket/replies.ts';
import { BLOCKING_VALUE, hides } from './runtime-map-commands.ts';

export interface EntryFailure {
  readonly ip_address: string;
  /** The worker's pid; null when it was addressed as the current one and its pid was not learned. */
  readonly worker: number | null;
  readonly command: string;
  /** All bodies that came for this address, in order. */
  readonly responses: readonly string[];
  /** `rejected`, `read-back absent`, `read-back present`, `wrong value`, `unknown reply`, `worker gone`, or why the socket failed. */
  readonly reason: string;
}

export type Sight =
  | { readonly state: 'exact'; readonly value: string }
  | { readonly state: 'absent' }
  /** Another entry answered in its place: only `show map` can tell. */
  | { readonly state: 'hidden' }
  | { readonly state: 'unknown' };

/** What a `get map` of `key` says about the entry `key` itself. */
export function sightOf(key: string, getMapBody: string): Sight {
  const reply = parseGetMap(getMapBody);
  if (reply.found === 'unknown') return { state: 'unknown' };
  if (!reply.found) return { state: 'absent' };
  if (reply.key === key) return { state: 'exact', value: reply.value };
  return { state: hides(reply.key, key) ? 'hidden' : 'absent' };
}

/** What a whole `show map` says: the values of the entries with this very key. The first of several wins a lookup. */
export function sightInDump(values: readonly string[]): Sight {
  const [first] = values;
  if (first === undefined) return { state: 'absent' };
  const wrong = values.find((value) => value !== BLOCKING_VALUE);
  return { state: 'exact', value: wrong ?? first };
}

export type Wish = 'add' | 'remove';

/** Null: the address is as it was wished. Otherwise the literal reason. A hidden one is not judged yet. */
export function shortcomingOf(wish: Wish, mutation: string | null, sight: Sight): string | null {
  if (mutation !== null && !(wish === 'add' ? isGoodAdd(mutation) : isGoodDelete(mutation))) return 'rejected';
  if (sight.state === 'unknown') return 'unknown reply';
  if (wish === 'remove') return sight.state === 'exact' ? 'read-back present' : null;
  if (sight.state === 'absent') return 'read-back absent';
  return sight.state === 'exact' && sight.value !== BLOCKING_VALUE ? 'wrong value' : null;
}

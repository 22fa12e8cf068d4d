// What an entry denied, as the cells of its row. What is not known is a dash with its reason, never 0.
import { count } from '../../../../../src/domain/counted.ts';
import type { EntryHits } from '../../../api/types.ts';

interface HitCell {
  readonly text: string;
  /** Why there is no figure. */
  readonly why?: string;
}

const unknown = '—';
const notCounted: HitCell = {
  text: unknown,
  why: 'Not known: the service does not count denied requests, or it has just started.',
};

export function deniedCell(hits: EntryHits | null): HitCell {
  if (hits === null) return notCounted;
  if (hits.last_24h === null)
    return {
      text: unknown,
      why: 'Not known: a part of the last 24 h was not watched, or an earlier block of the address has some of them.',
    };
  return { text: count(hits.last_24h) };
}

/** Of an entry whose `last_hit` is null. */
export function noHitCell(hits: EntryHits | null): HitCell {
  if (hits === null) return notCounted;
  if (hits.total === 0) return { text: 'Never', why: 'It denied no request since it was blocked.' };
  return { text: unknown, why: 'No request was counted, but a part of the time was not watched.' };
}

// What an entry denied, as the cells of its row. What is not known is a dash with its reason, never 0.
import { count } from '../../../../../src/domain/counted.ts';
import type { EntryHits } from '../../../api/types.ts';

interface HitCell {
  readonly text: string;
  /** Why there is no figure, or why it may be higher. */
  readonly why?: string;
}

const unknown = '—';
const notCounted: HitCell = {
  text: unknown,
  why: 'Not known: the service does not count denied requests, or it has just started.',
};

/** @param isLeast a part of the last 24 hours was not watched */
export function deniedCell(hits: EntryHits | null, isLeast: boolean): HitCell {
  if (hits === null) return notCounted;
  if (hits.last_24h === null)
    return {
      text: unknown,
      why: 'Not known: a part of the last 24 h was not watched, or an earlier block of the address has some of them.',
    };
  const text = count(hits.last_24h);
  return isLeast && hits.last_24h > 0
    ? { text, why: `At least ${text}: a part of the last 24 h was not watched.` }
    : { text };
}

/** Of an entry whose `last_hit` is null. */
export function noHitCell(hits: EntryHits | null): HitCell {
  if (hits === null) return notCounted;
  if (hits.total === 0) return { text: 'Never', why: 'It denied no request since it was blocked.' };
  return { text: unknown, why: 'No request was counted, but a part of the time was not watched.' };
}

// How long a reload's lock is held for a comparison of the workers' maps. One takes 0.1 s at a million; but one that
// finds much to repair, or stands behind a sync that does, goes on for as long as that takes, and whoever has a site to
// change would wait for it. The comparison itself is not cut off: it goes on without the lock.
import { setTimeout as sleep } from 'node:timers/promises';

export const comparisonPatienceMs = 30_000;

/** What `work` gives, or null when it did not within `patienceMs`; what comes of it then is nobody's, an error too. */
export async function waitedFor<T>(work: Promise<T>, patienceMs: number): Promise<T | null> {
  const given = new AbortController();
  const patience = sleep(patienceMs, null, { signal: given.signal }).catch(() => null);
  try {
    return await Promise.race([work, patience]);
  } finally {
    given.abort();
  }
}

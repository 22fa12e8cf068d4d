// How long a reload's lock is held for a comparison of the workers' maps. One takes 0.1 s at a million; but one that
// finds much to repair, or stands behind a sync that does, goes on for as long as that takes, and whoever has a site to
// change would wait for it. The comparison itself is not cut off: it goes on without the lock.

export const comparisonPatienceMs = 30_000;

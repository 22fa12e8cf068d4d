const DAY_MS = 86_400_000;

/** When a certificate counts as expiring. Short-lived ones: a share of the lifetime. */
export const WARNINGS = [
  { stage: 1, leftMs: 14 * DAY_MS, share: 1 / 6 },
  { stage: 2, leftMs: 3 * DAY_MS, share: 1 / 24 },
] as const;

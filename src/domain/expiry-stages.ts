const DAY_MS = 86_400_000;

/** When what expires counts as expiring. Of short-lived ones: a share of the lifetime. */
export const WARNINGS = [
  { stage: 1, leftMs: 14 * DAY_MS, share: 1 / 6 },
  { stage: 2, leftMs: 3 * DAY_MS, share: 1 / 24 },
] as const;

export const EXPIRED = 3;

/** 0: not yet expiring. All times in milliseconds. */
export function stageOf(from: number, end: number, now: number): number {
  const left = end - now;
  if (left <= 0) return EXPIRED;
  const due = WARNINGS.filter(({ leftMs, share }) => left <= Math.min(leftMs, (end - from) * share));
  return due.at(-1)?.stage ?? 0;
}

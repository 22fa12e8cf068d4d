/** Replaced workers and orphans end after this time. */
export const hardStopSeconds = 10;

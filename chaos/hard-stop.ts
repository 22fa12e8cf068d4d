/** Replaced workers and orphans are gone this long after. */
export const hardStopSeconds = 10;

/** Such as "140 ms", "3.2 s". @param milliseconds how long it took */
export function tookText(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

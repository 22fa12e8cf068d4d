/** Without what a distribution adds: 3.0.11 of 3.0.11-1+deb13u2. What does not begin with a version stays. */
export function shortVersion(full: string): string {
  return /^\d+(\.\d+)+(-dev\d+)?/.exec(full)?.[0] ?? full;
}

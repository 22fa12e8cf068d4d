/** For screenshots and measurements. */
export const sampleReasons: readonly (string | null)[] = [
  'port scan',
  'brute force on ssh',
  'abuse desk does not answer',
  null,
  'credential stuffing',
  'scraper',
];
export const sampleSources: readonly string[] = ['fail2ban', 'ops', 'anna'];

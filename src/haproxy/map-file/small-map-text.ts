/** How each of these files begins. */
export const smallMapMark = '# proxy-manager: ';

/**
 * The text of a map file with few entries. The first line says what they are.
 *
 *   # proxy-manager: upstreams
 *   10.0.3.0/24 1
 *   2001:db8::/32 3
 */
export function smallMapText(
  what: 'upstreams' | 'PROXY protocol' | 'https settings of sites' | 'answers to ACME challenges',
  entries: ReadonlyMap<string, string>,
): string {
  return `${smallMapMark}${what}\n${[...entries].map(([key, value]) => `${key} ${value}\n`).join('')}`;
}

/** How each of the two files begins. */
export const upstreamMapMark = '# proxy-manager: ';

/**
 * The text of the map files of upstreams.
 *
 *   # proxy-manager: upstreams
 *   10.0.3.0/24 1
 *   2001:db8::/32 3
 */
export function upstreamMapText(what: 'upstreams' | 'PROXY protocol', entries: ReadonlyMap<string, string>): string {
  return `${upstreamMapMark}${what}\n${[...entries].map(([network, value]) => `${network} ${value}\n`).join('')}`;
}

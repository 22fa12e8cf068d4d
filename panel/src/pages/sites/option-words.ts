import type { Server } from '../../api/types.ts';

/** A server's options where they are not the usual ones. */
export function optionWords(options: Server['options']): string[] {
  const { weight, backup, max_connections: mostConnections, check, ssl } = options ?? {};
  return [
    ...(backup === true ? ['backup'] : []),
    ...(weight === undefined ? [] : [weight === 0 ? 'weight 0: takes no requests' : `weight ${weight}`]),
    ...(mostConnections === undefined ? [] : [`at most ${mostConnections.toLocaleString()} connections`]),
    ...(check === false ? ['not checked'] : []),
    ...(ssl === 'verify' ? ['TLS, certificate verified'] : []),
    ...(ssl === 'insecure' ? ['TLS, any certificate'] : []),
  ];
}

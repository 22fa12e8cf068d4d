import { isLoopback } from '../domain/loopback.ts';

interface Listened {
  readonly text: string;
  readonly target: { readonly host: string } | { readonly path: string };
}

/** Null: over TLS, or reachable from this machine only. */
export function plainTextNotice({ text, target }: Listened, hasTls: boolean): string | null {
  if (hasTls || 'path' in target || isLoopback(target.host)) return null;
  return `the API listens on ${text} without TLS, so its keys, and private keys that are uploaded, cross the network in clear text: set PROXY_MANAGER_LISTEN_CERTIFICATE, or listen on 127.0.0.1 or a Unix socket`;
}

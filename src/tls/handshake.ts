// Asks HAProxy for a certificate as a client does: shows a wrong order of the list, another process at the port, or a
// configuration without the list, which the commands to a worker cannot show.
import { connect } from 'node:tls';
import type { WantedCertificate } from './file-keeper.ts';
import type { Installation } from './installation.ts';

export interface HandshakeResult {
  readonly handshake: Installation['handshake'];
  /** Null if it is `seen`. */
  readonly handshakeReason: string | null;
}

/** Where HAProxy serves the certificates, as this process reaches it; or why it cannot. */
export type HandshakeTarget =
  | { readonly possible: true; readonly host: string; readonly port: number }
  | { readonly possible: false; readonly why: string };

const TIME_LIMIT_MS = 1_000;
/** A worker that begins to drain may answer one of thousands of handshakes with an older certificate. */
const TRIES = 3;
/** The label for a wildcard. */
const LABEL = 'handshake-check';

export async function tryHandshake(
  { names, sha1 }: Pick<WantedCertificate, 'names' | 'sha1'>,
  target: HandshakeTarget,
): Promise<HandshakeResult> {
  if (!target.possible) return { handshake: 'not possible', handshakeReason: target.why };
  const [name = ''] = names;
  const servername = name.replace(/^\*/, LABEL);
  const at = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  let last: HandshakeResult | null = null;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const served = await servedBy(target, servername);
    if ('failure' in served) {
      last = { handshake: 'failed', handshakeReason: `TLS to ${at} for ${servername}: ${served.failure}` };
    } else if (served.sha1 === sha1) {
      return { handshake: 'seen', handshakeReason: null };
    } else {
      const what = `${at} serves another certificate for ${servername} (SHA-1 ${served.sha1})`;
      last = { handshake: 'other', handshakeReason: what };
    }
  }
  return last!;
}

type Served = { readonly sha1: string } | { readonly failure: string };

function servedBy(
  { host, port }: { readonly host: string; readonly port: number },
  servername: string,
): Promise<Served> {
  return new Promise((resolve) => {
    // Compared by its fingerprint: whether it is trusted is for clients to judge.
    const socket = connect({ host, port, servername, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    const end = (served: Served): void => {
      socket.destroy();
      resolve(served);
    };
    socket.setTimeout(TIME_LIMIT_MS, () => end({ failure: `no answer within ${TIME_LIMIT_MS / 1_000} s` }));
    socket.once('error', ({ message }) => end({ failure: message }));
    socket.once('close', () => end({ failure: 'the connection was closed' }));
    socket.once('secureConnect', () => {
      const leaf = socket.getPeerX509Certificate();
      end(leaf === undefined ? { failure: 'no certificate' } : { sha1: leaf.fingerprint.replaceAll(':', '') });
    });
  });
}

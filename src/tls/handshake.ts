// Asks HAProxy for a certificate as a client does: shows a wrong order of the list, another process at the port, or a
// configuration without the list, which the commands to a worker cannot show.
import { connect } from 'node:tls';
import { sha256Of } from '../x509/served-chain.ts';
import type { WantedCertificate } from './file-keeper.ts';
import type { Installation } from './installation.ts';

export interface HandshakeResult {
  readonly handshake: Installation['handshake'];
  /** Why it is not `seen`, or which addresses were not tried; null: each showed it. */
  readonly handshakeReason: string | null;
}

export interface ServedAddress {
  readonly host: string;
  readonly port: number;
}

/** Where HAProxy serves the certificates, as this process reaches it; or why it cannot. */
export type HandshakeTarget =
  | {
      readonly possible: true;
      readonly addresses: readonly ServedAddress[];
      /** Addresses that this process cannot try, each as a clause. */
      readonly untried: readonly string[];
    }
  | { readonly possible: false; readonly why: string };

const TIME_LIMIT_MS = 1_000;
/** A worker that begins to drain may answer one of thousands of handshakes with an older certificate. */
const TRIES = 3;
/** The label for a wildcard. */
const LABEL = 'handshake-check';

/** At every address. `seen`: each that could be tried showed the certificate and its chain, byte for byte. */
export async function tryHandshake(
  certificate: Pick<WantedCertificate, 'names' | 'sha256s'>,
  target: HandshakeTarget,
): Promise<HandshakeResult> {
  if (!target.possible) return { handshake: 'not possible', handshakeReason: target.why };
  const results = await Promise.all(target.addresses.map((address) => tryAddress(certificate, address)));
  const other = results.find(({ handshake }) => handshake !== 'seen');
  if (other !== undefined) return other;
  return { handshake: 'seen', handshakeReason: target.untried.length === 0 ? null : target.untried.join('; ') };
}

async function tryAddress(
  { names, sha256s }: Pick<WantedCertificate, 'names' | 'sha256s'>,
  address: ServedAddress,
): Promise<HandshakeResult> {
  const [name = ''] = names;
  const servername = name.replace(/^\*/, LABEL);
  const at = `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  let last: HandshakeResult | null = null;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const served = await servedBy(address, servername);
    if ('failure' in served) {
      last = { handshake: 'failed', handshakeReason: `TLS to ${at} for ${servername}: ${served.failure}` };
      continue;
    }
    const difference = differenceIn(served, sha256s, servername);
    if (difference === null) return { handshake: 'seen', handshakeReason: null };
    last = { handshake: 'other', handshakeReason: `${at} serves ${difference}` };
  }
  return last!;
}

function differenceIn(
  served: { readonly sha256s: readonly string[] },
  wanted: readonly string[],
  servername: string,
): string | null {
  const [leaf, ...chain] = served.sha256s;
  const [wantedLeaf, ...wantedChain] = wanted;
  if (leaf !== wantedLeaf) return `another certificate for ${servername} (SHA-256 ${leaf})`;
  // HAProxy may add a chain of its own where the certificate has none.
  if (wantedChain.length === 0 || chain.join() === wantedChain.join()) return null;
  return `another chain for ${servername} (${chain.length} certificates, not the ${wantedChain.length} that were uploaded)`;
}

type Served = { readonly sha256s: readonly string[] } | { readonly failure: string };

function servedBy({ host, port }: ServedAddress, servername: string): Promise<Served> {
  return new Promise((resolve) => {
    // Compared by fingerprints: whether it is trusted is for clients to judge.
    const socket = connect({ host, port, servername, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    const end = (served: Served): void => {
      socket.destroy();
      resolve(served);
    };
    socket.setTimeout(TIME_LIMIT_MS, () => end({ failure: `no answer within ${TIME_LIMIT_MS / 1_000} s` }));
    socket.once('error', ({ message }) => end({ failure: message }));
    socket.once('close', () => end({ failure: 'the connection was closed' }));
    socket.once('secureConnect', () => {
      const sent: string[] = [];
      // In the order in which they were sent, whether they belong together or not.
      for (let one = socket.getPeerX509Certificate(); one !== undefined; one = one.issuerCertificate) {
        sent.push(sha256Of(one));
      }
      end(sent.length === 0 ? { failure: 'no certificate' } : { sha256s: sent });
    });
  });
}

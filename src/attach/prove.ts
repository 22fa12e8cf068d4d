// The proof: an address of this machine is blocked, and what it gets at a front end is seen before, meanwhile and after.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { FrontEnd } from '../configuration/front-ends.ts';
import { bindAddresses } from '../configuration/listeners.ts';

/** Of loopback, and nobody's: what comes from here is ours alone. */
export const provingAddress = '127.177.86.12';

/** How a front end treats an address. `closed`: the connection, without an answer. `unknown`: no answer in time, or none to be had. */
export type Treatment = 'served' | '403' | 'closed' | 'unknown';

export interface Proof {
  readonly proved: boolean;
  readonly says: string;
}

export interface Blocking {
  block(ip: string): Promise<void>;
  unblock(ip: string): Promise<void>;
}

const answerWithinMs = 5_000;
/** One that is let in is kept open at least this long: a server is looked for. */
const keptOpenMs = 500;

/** Sees it served, blocks it, sees it denied, unblocks it, sees it served. The block is taken back whatever happens. */
export async function prove(frontEnd: FrontEnd, blocking: Blocking): Promise<Proof> {
  const { name } = frontEnd;
  const before = await treatment(frontEnd);
  if (before !== 'served') return { proved: false, says: `${name}: not proved, ${whyNot[before]}` };
  let meanwhile: Treatment;
  await blocking.block(provingAddress);
  try {
    meanwhile = await treatment(frontEnd);
  } finally {
    await blocking.unblock(provingAddress);
  }
  const after = await treatment(frontEnd);
  if (meanwhile === 'unknown') {
    return { proved: false, says: `${name}: not proved, it did not answer while ${provingAddress} was blocked` };
  }
  if (meanwhile === 'served') return { proved: false, says: `${name}: NOT denied while ${provingAddress} was blocked` };
  if (after !== 'served') return { proved: false, says: `${name}: NOT served again after the unblock` };
  const how = meanwhile === '403' ? '403' : 'its connections closed';
  return { proved: true, says: `${name}: ${provingAddress} got ${how} while it was blocked, and is served again` };
}

const whyNot: Readonly<Record<Exclude<Treatment, 'served'>, string>> = {
  '403': 'it answers 403 to an address that is not blocked',
  closed: 'it closes the connections of an address that is not blocked',
  unknown: 'it could not be reached from this machine',
};

async function treatment(frontEnd: FrontEnd): Promise<Treatment> {
  const [address] = bindAddresses(frontEnd.binds.map((bind) => `bind ${bind}`).join('\n'));
  if (address === undefined) return 'unknown';
  const host = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' }[address.host] ?? address.host;
  const to = { host, port: address.port };
  if (frontEnd.mode !== 'http') return await byConnection(to);
  const plain = await answerOf(httpRequest, to);
  // Where TLS is spoken, a connection without it is closed.
  return plain === 'closed' ? await answerOf(httpsRequest, to) : plain;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Nobody listens, or the address has no way there. Other errors are those of a connection that was closed. */
const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EINVAL',
]);

function answerOf(request: typeof httpsRequest | typeof httpRequest, to: Target): Promise<Treatment> {
  return new Promise((resolve) => {
    const options = { ...to, localAddress: provingAddress, path: '/', agent: false, rejectUnauthorized: false };
    const asked = request(options, (response) => {
      response.destroy();
      resolve(response.statusCode === 403 ? '403' : 'served');
    });
    asked.setTimeout(answerWithinMs, () => {
      resolve('unknown');
      asked.destroy();
    });
    asked.once('error', (error: NodeJS.ErrnoException) =>
      resolve(unreachable.has(error.code ?? '') ? 'unknown' : 'closed'),
    );
    asked.end();
  });
}

function byConnection(to: Target): Promise<Treatment> {
  return new Promise((resolve) => {
    const socket = connect({ ...to, localAddress: provingAddress });
    let connected = false;
    const kept = setTimeout(() => end(connected ? 'served' : 'unknown'), keptOpenMs);
    const end = (seen: Treatment): void => {
      clearTimeout(kept);
      socket.destroy();
      resolve(seen);
    };
    socket.once('connect', () => {
      connected = true;
    });
    socket.once('data', () => end('served'));
    socket.once('error', () => end(connected ? 'closed' : 'unknown'));
    socket.once('close', () => end(connected ? 'closed' : 'unknown'));
  });
}

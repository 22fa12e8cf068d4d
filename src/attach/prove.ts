// The proof: an address of this machine is blocked, and what it gets at a front end is seen before, meanwhile and after.
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { bindAddresses } from '../configuration/reload/listeners.ts';
import type { FrontEnd } from '../configuration/rules/front-ends.ts';

/** Of loopback, and used by nothing else: what comes from here is ours alone. */
export const provingAddress = '127.177.86.12';

/** How a front end treats an address. `closed`: the connection, without an answer. `unknown`: no answer in time, or none to be had. */
type Treatment = 'served' | '403' | 'closed' | 'unknown';

/** `untested`: it does not serve an unblocked address of this machine either, so a denial would prove nothing. */
export type Finding = 'proved' | 'disproved' | 'untested';

export interface Proof {
  readonly finding: Finding;
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
  const found = await servingListener(frontEnd);
  if (typeof found === 'string') return { finding: 'untested', says: `${name}: not tested, ${found}` };
  let meanwhile: Treatment;
  await blocking.block(provingAddress);
  try {
    meanwhile = await treatment(found);
  } finally {
    await blocking.unblock(provingAddress);
  }
  const after = await treatment(found);
  const disproved = (says: string): Proof => ({ finding: 'disproved', says: `${name}: ${says}` });
  if (meanwhile === 'unknown') return disproved(`not proved, it did not answer while ${provingAddress} was blocked`);
  if (meanwhile === 'served') return disproved(`NOT denied while ${provingAddress} was blocked`);
  if (after !== 'served') return disproved('NOT served again after the unblock');
  const how = meanwhile === '403' ? '403' : 'its connections closed';
  const says = `${name}: ${provingAddress} got ${how} while it was blocked, and is served again`;
  return { finding: 'proved', says };
}

const whyNot: Readonly<Record<Exclude<Treatment, 'served'>, string>> = {
  '403': 'it answers 403 to an address that is not blocked',
  closed: 'it closes the connections of an address that is not blocked (no server, or TLS for certain names only)',
  unknown: 'it gave no usable answer to this machine',
};

interface Listener {
  readonly host: string;
  readonly port: number;
  readonly speaksHttp: boolean;
  /** It reads the PROXY protocol, and takes the client's address from there. */
  readonly readsProxyHeader: boolean;
}

/** The first that serves this machine, or why there is none. */
async function servingListener(frontEnd: FrontEnd): Promise<Listener | string> {
  const listeners = listenersOf(frontEnd);
  let why: string | null = null;
  for (const listener of listeners) {
    const seen = await treatment(listener);
    if (seen === 'served') return listener;
    why ??= whyNot[seen];
  }
  return why ?? 'it has no TCP listener for IPv4';
}

/** An IPv6 address of this machine that nothing else uses does not exist. */
function listenersOf({ bindLines, mode }: FrontEnd): Listener[] {
  return bindLines.flatMap((line) => {
    const options = line.split(' ').slice(2);
    if (options.includes('accept-netscaler-cip')) return [];
    const readsProxyHeader = options.includes('accept-proxy');
    return bindAddresses(line).flatMap(({ host, port, ipv6Only }) => {
      if (ipv6Only || (host.includes(':') && host !== '::')) return [];
      const visited = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
      return [{ host: visited, port, speaksHttp: mode === 'http', readsProxyHeader }];
    });
  });
}

async function treatment(listener: Listener): Promise<Treatment> {
  if (!listener.speaksHttp) return await byConnection(listener);
  const plain = await answerOf(listener, (socket) => socket);
  // Where TLS is spoken, a connection without it is closed.
  return plain === 'closed'
    ? await answerOf(listener, (socket) => connectTls({ socket, rejectUnauthorized: false }))
    : plain;
}

/** Nothing listens there, or the address has no way there. Other errors are those of a connection that was closed. */
const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EINVAL',
]);

function open({ host, port, readsProxyHeader }: Listener): Socket {
  const socket = connect({ host, port, localAddress: provingAddress });
  if (readsProxyHeader) socket.write(`PROXY TCP4 ${provingAddress} 127.0.0.1 40000 ${port}\r\n`);
  return socket;
}

function answerOf(listener: Listener, speak: (socket: Socket) => Socket): Promise<Treatment> {
  return new Promise((resolve) => {
    const socket = open(listener);
    const { host, port } = listener;
    const asked = request({ host, port, path: '/', createConnection: () => speak(socket) }, (response) => {
      const { statusCode } = response;
      response.destroy();
      // What HAProxy answers to what it cannot read.
      if (statusCode === 400) resolve('unknown');
      else resolve(statusCode === 403 ? '403' : 'served');
    });
    const failed = (error: NodeJS.ErrnoException): void => {
      resolve(unreachable.has(error.code ?? '') ? 'unknown' : 'closed');
      asked.destroy();
    };
    socket.on('error', failed);
    asked.on('error', failed);
    asked.setTimeout(answerWithinMs, () => {
      resolve('unknown');
      asked.destroy();
    });
    asked.end();
  });
}

function byConnection(listener: Listener): Promise<Treatment> {
  return new Promise((resolve) => {
    const socket = open(listener);
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
    socket.on('error', () => end(connected ? 'closed' : 'unknown'));
    socket.once('close', () => end(connected ? 'closed' : 'unknown'));
  });
}

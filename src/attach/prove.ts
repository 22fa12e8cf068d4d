// The proof: blocks an address of this machine, and compares its responses at a front end before, during and after.
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { bindAddresses } from '../configuration/reload/listeners.ts';
import type { FrontEnd } from '../configuration/rules/front-ends.ts';

/** A loopback address that nothing else uses, so that the block affects only the proof. */
export const provingAddress = '127.177.86.12';

/** `closed`: the connection was closed without a response. `unknown`: no response in time, or none possible. */
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
/** An accepted connection stays open at least this long, while HAProxy looks for a server. */
const keptOpenMs = 500;

/** Served before, denied while blocked, served after the unblock. Always removes the block. */
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
  const how = meanwhile === '403' ? 'got 403' : 'was disconnected';
  const says = `${name}: ${provingAddress} ${how} while it was blocked, and is served again`;
  return { finding: 'proved', says };
}

const whyNot: Readonly<Record<Exclude<Treatment, 'served'>, string>> = {
  '403': 'it answers 403 to an address that is not blocked',
  closed: 'it closes the connections of an address that is not blocked (no server, or TLS for certain names only)',
  unknown: 'it gave this machine no HTTP response',
};

interface Listener {
  readonly host: string;
  readonly port: number;
  readonly speaksHttp: boolean;
  /** It takes the client's address from the PROXY protocol. */
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

/** IPv4 only: there is no unused IPv6 loopback address. */
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
  // With TLS a plain connection is closed.
  return plain === 'closed'
    ? await answerOf(listener, (socket) => connectTls({ socket, rejectUnauthorized: false }))
    : plain;
}

/** Nothing listens, or there is no route. Other errors mean a closed connection. */
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
      // HAProxy's response to what it cannot parse.
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

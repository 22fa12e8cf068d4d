// Requests of many clients through one connection of an upstream that names them.
import { connect } from 'node:net';
import { address } from '../../testkit/load/lists.ts';

export interface Tally {
  /** Of blocked clients. */
  sent: number;
  denied: number;
  letIn: number;
  /** Of others. */
  allowed: number;
}

export interface Rates {
  /** Requests a second. */
  readonly regular: number;
  readonly attack: number;
}

/** Blocked networks, besides the entries: attackers are in them. */
export const attackedFrom = ['198.18.0.0/15', '2001:db8::/32'];
const siteNames = ['shop.example', 'blog.example'] as const;
const answerLimitMs = 5_000;
/** Seconds; the attack is the first part of each cycle, after a calm one. */
export const cycle = { length: 1_800, attackFrom: 300, attackTo: 600 } as const;

export function isAttack(second: number): boolean {
  const at = second % cycle.length;
  return at >= cycle.attackFrom && at < cycle.attackTo;
}

/** The clients of one second: blocked ones, and others. */
export function clientsOf(second: number, entries: number, { regular, attack }: Rates, random: () => number) {
  const pick = (below: number): number => Math.floor(random() * below);
  // Few knock often, many seldom.
  const knocking = () => address(Math.floor(random() ** 4 * entries));
  const attacker = () =>
    random() < 0.5
      ? `198.${18 + pick(2)}.${pick(256)}.${pick(256)}`
      : `2001:db8:${pick(65_536).toString(16)}:${pick(65_536).toString(16)}::1`;
  const blocked = Array.from({ length: Math.round(regular * 0.3) }, knocking);
  if (isAttack(second)) blocked.push(...Array.from({ length: attack }, attacker));
  const others = Array.from({ length: Math.round(regular * 0.7) }, () => `241.0.${pick(4)}.${pick(256)}`);
  return { blocked, others };
}

/** Sends them at once, and counts the answers. Clients of a connection that breaks count as sent. */
export async function send(port: number, clients: readonly string[], blocked: boolean, tally: Tally): Promise<void> {
  if (clients.length === 0) return;
  if (blocked) tally.sent += clients.length;
  const requests = clients.map((client, index) => {
    const last = index === clients.length - 1 ? 'connection: close\r\n' : '';
    return `GET / HTTP/1.1\r\nhost: ${siteNames[index % siteNames.length]}\r\nx-real-ip: ${client}\r\n${last}\r\n`;
  });
  const text = await exchange(port, requests.join(''));
  for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
    if (!blocked) tally.allowed += 1;
    else if (status === '403') tally.denied += 1;
    else if (status === '200') tally.letIn += 1;
  }
}

function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect(port, '127.0.0.1');
    const done = (): void => {
      socket.destroy();
      resolve(reply);
    };
    socket.setTimeout(answerLimitMs, done);
    socket.on('data', (part) => {
      reply += part.toString('latin1');
    });
    socket.once('close', done).once('error', done);
    socket.write(text);
  });
}

// The load generator, in a process of its own: it shares the service's core no more than it must. One request under
// way per client; an answer that does not say "verified" ends the measurement.
import { setTimeout as pause } from 'node:timers/promises';
import { answerCalls } from '../testkit/load/calls.ts';
import { HttpClient, type HttpTarget } from '../testkit/load/http-client.ts';
import { spare } from '../testkit/load/lists.ts';

/** Blocks of `spare(first)`, `spare(first + 1)` and so on. */
export interface LoadOrder extends HttpTarget {
  readonly first: number;
}

let pacing: Promise<{ latencies: number[]; sent: number }> | null = null;
let paceOn = false;

/** Far more blocks at once than a pace of 20 ms makes while none waits 100 ms. */
const paceConnections = 16;

const calls = {
  /** Blocks a second of so many clients; `sent`: how many addresses were taken. */
  async rate(order: LoadOrder & { clients: number; ms: number }): Promise<{ perSecond: number; sent: number }> {
    const clients = Array.from({ length: order.clients }, () => new HttpClient(order));
    let sent = 0;
    const began = performance.now();
    const run = async (client: HttpClient): Promise<void> => {
      while (performance.now() - began < order.ms) {
        sent += 1;
        await block(client, spare(order.first + sent - 1));
      }
    };
    try {
      await Promise.all(clients.map(run));
    } finally {
      for (const client of clients) client.close();
    }
    return { perSecond: (sent * 1_000) / (performance.now() - began), sent };
  },

  /** A block every so many milliseconds, until `endPace`. */
  startPace(order: LoadOrder & { everyMs: number }): void {
    paceOn = true;
    pacing = pace(order);
    // `endPace` hands it on.
    pacing.catch(() => undefined);
  },

  /** Latencies from the scheduled time, so that a wait is counted for every block that it held up. */
  async endPace(): Promise<{ latencies: number[]; sent: number }> {
    paceOn = false;
    if (pacing === null) throw new Error('nothing is paced');
    return await pacing;
  },
};

export type LoadCalls = typeof calls;

/**
 * A block at each due time, whatever became of those before it: over one connection alone each would wait for the one
 * before, and where a block takes longer than the pace the wait would grow without end.
 */
async function pace(order: LoadOrder & { everyMs: number }): Promise<{ latencies: number[]; sent: number }> {
  const clients = Array.from({ length: paceConnections }, () => new HttpClient(order));
  const free = [...clients];
  const underWay = new Set<Promise<void>>();
  const latencies: number[] = [];
  let sent = 0;
  const send = async (client: HttpClient, ip: string, from: number): Promise<void> => {
    await block(client, ip);
    latencies.push(performance.now() - from);
    free.push(client);
  };
  try {
    for (let due = performance.now(); paceOn; due += order.everyMs) {
      const early = due - performance.now();
      if (early > 0) await pause(early);
      while (free.length === 0) await Promise.race(underWay);
      // The timer's own lateness is not the service's.
      const sending = send(free.pop()!, spare(order.first + sent), early > 0 ? performance.now() : due);
      sent += 1;
      underWay.add(sending);
      sending.then(
        () => underWay.delete(sending),
        // It ends the pace at the end, or where a connection is waited for.
        () => undefined,
      );
    }
    await Promise.all(underWay);
  } finally {
    for (const client of clients) client.close();
  }
  return { latencies, sent };
}

async function block(client: HttpClient, ip: string): Promise<void> {
  const { status, body } = await client.request(
    'POST',
    '/api/blocked-ips',
    'application/json',
    `{"ip_address":"${ip}"}`,
  );
  if (status !== 201 || !body.includes('"runtime_map_updated":true')) {
    throw new Error(`block ${ip}: ${status} ${body.slice(0, 300)}`);
  }
}

answerCalls(calls);

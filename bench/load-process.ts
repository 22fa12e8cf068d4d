// The load generator, in a process of its own: it shares the service's core no more than it must. One request under
// way per client; an answer that does not say "verified" ends the measurement.
import { setTimeout as pause } from 'node:timers/promises';
import { answerCalls } from './calls.ts';
import { HttpClient, type HttpTarget } from './http-client.ts';
import { spare } from './lists.ts';

/** Blocks of `spare(first)`, `spare(first + 1)` and so on. */
export interface LoadOrder extends HttpTarget {
  readonly first: number;
}

let pacing: Promise<{ latencies: number[]; sent: number }> | null = null;
let paceOn = false;

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

  /** One client, a block every so many milliseconds, until `endPace`. */
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

async function pace(order: LoadOrder & { everyMs: number }): Promise<{ latencies: number[]; sent: number }> {
  const client = new HttpClient(order);
  const latencies: number[] = [];
  try {
    for (let due = performance.now(); paceOn; due += order.everyMs) {
      const early = due - performance.now();
      if (early > 0) await pause(early);
      // The timer's own lateness is not the service's.
      const from = early > 0 ? performance.now() : due;
      await block(client, spare(order.first + latencies.length));
      latencies.push(performance.now() - from);
    }
  } finally {
    client.close();
  }
  return { latencies, sent: latencies.length };
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

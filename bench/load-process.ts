// A process of its own. One request under way per client; an answer other than "verified" ends the measurement.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { answerCalls } from '../testkit/load/calls.ts';
import { HttpClient, type HttpTarget } from '../testkit/load/http-client.ts';
import { spare } from '../testkit/load/lists.ts';

/** Blocks `spare(first)`, `spare(first + 1)` and so on. */
export interface LoadOrder extends HttpTarget {
  readonly first: number;
}

interface Paced {
  readonly latencies: number[];
  readonly sent: number;
  /** In ms: of a synced write of 4 kB at the same pace, which shows what waited for the disk. */
  readonly syncs: number[];
}

let pacing: Promise<Paced> | null = null;
let paceOn = false;

/** Far more than a pace of 20 ms needs while no block takes 100 ms. */
const paceConnections = 16;

const calls = {
  /** `sent`: number of addresses used. */
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

  /** Until `endPace`. @param order.folder on the disk of the service */
  startPace(order: LoadOrder & { everyMs: number; folder: string }): void {
    paceOn = true;
    const both = Promise.all([pace(order), syncsOf(order)]);
    pacing = both.then(([paced, syncs]) => ({ ...paced, syncs }));
    // `endPace` rethrows it.
    pacing.catch(() => undefined);
  },

  /** From the scheduled time, so that a stall counts for every block that it delays. */
  async endPace(): Promise<Paced> {
    paceOn = false;
    if (pacing === null) throw new Error('nothing is paced');
    return await pacing;
  },
};

export type LoadCalls = typeof calls;

/** An open loop: over one connection, blocks that take longer than the pace would wait ever longer. */
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
        // Thrown at the end of the pace, or when a connection is needed.
        () => undefined,
      );
    }
    await Promise.all(underWay);
  } finally {
    for (const client of clients) client.close();
  }
  return { latencies, sent };
}

async function syncsOf({ folder, everyMs }: { folder: string; everyMs: number }): Promise<number[]> {
  const path = join(folder, 'synced-writes');
  const file = await open(path, 'w');
  const page = Buffer.alloc(4_096, 'x');
  const syncs: number[] = [];
  try {
    while (paceOn) {
      const began = performance.now();
      await file.write(page, 0, page.length, (syncs.length % 1_000) * page.length);
      await file.datasync();
      syncs.push(performance.now() - began);
      await pause(everyMs);
    }
  } finally {
    await file.close();
    await rm(path);
  }
  return syncs;
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

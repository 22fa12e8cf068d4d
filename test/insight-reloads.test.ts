// Denied requests under full load are counted through reloads, and while the service is dead (ADR 0091, 0092).
import { kill } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { DeniedLoad } from '../testkit/insight/denied-load.ts';
import { describeOnNewestProxy, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const addresses = Array.from({ length: 8 }, (_, index) => `127.9.1.${index + 1}`);
const reloads = longTests ? 4 : 1;
const betweenReloadsMs = longTests ? 2_250 : 500;
const deadMs = longTests ? 60_000 : 300;
/** In `npm test` the load leaves the processor to other tests. */
const pauseMs = longTests ? 0 : 5;
/** Of what is denied in a long run, while HAProxy reloads. On a slow machine it is more, and so is what may be lost. */
const reloadShare = 0.05;

interface Figures {
  readonly counted: number;
  readonly answered: number;
  readonly sent: number;
  readonly duringReloads: number;
}

/** What the API says of each address, and whether any of it was ever lower than before. */
class Totals {
  readonly #service: RealService;
  readonly #last = new Map<string, number>();
  readonly fallen: string[] = [];

  constructor(service: RealService) {
    this.#service = service;
  }

  /** Null: the figures are not loaded. */
  async read(): Promise<number | null> {
    const { status, body } = await this.#service.call<{ items: { ip_address: string; total: number }[] }>(
      'GET',
      '/api/insight/knocking',
    );
    if (status !== 200) return null;
    for (const { ip_address: address, total } of body.items) {
      const before = this.#last.get(address) ?? 0;
      if (total < before) this.fallen.push(`${address}: ${total} after ${before}`);
      this.#last.set(address, Math.max(total, before));
    }
    if (this.#last.size > body.items.length) this.fallen.push(`${body.items.length} of ${this.#last.size} addresses`);
    return body.items.reduce((sum, { total }) => sum + total, 0);
  }

  /** All the time, until `end`. Returns when it has ended. */
  async watch(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      // The service may be dead.
      await this.read().catch(() => null);
      await pause(50);
    }
  }
}

describeOnNewestProxy('denied requests under full load', ({ bin, major }) => {
  it('are counted through reloads and a death of the service, and no total ever falls', async () => {
    const service = await RealService.start({ bin });
    const load = new DeniedLoad(service.proxyPort, addresses, pauseMs);
    const totals = new Totals(service);
    const end = new AbortController();
    let duringReloads = 0;
    const reloading = async (work: () => Promise<unknown>) => {
      const before = load.answered;
      const { current } = await service.processes();
      await work();
      // Until then it may answer and hand over.
      await eventually('the earlier worker has exited', async () => {
        const { current: now, draining } = await service.processes();
        return [...now, ...draining].every(({ pid }) => pid !== current[0]?.pid);
      });
      duringReloads += load.answered - before;
      await pause(betweenReloadsMs);
    };
    const reload = async () => {
      const { status, text } = await service.call('POST', '/api/config/reload');
      expect(status, text).toBe(200);
    };
    /** By another process. */
    const replaceWorker = async () => {
      const { master, current } = await service.processes();
      kill(master.pid, 'SIGUSR2');
      await eventually('another worker is the current one', async () => {
        const [worker] = (await service.processes()).current;
        return worker !== undefined && worker.pid !== current[0]?.pid;
      });
    };
    /** Once nothing is denied any more. The service reads the tables before each reload of its own. */
    const counted = async (): Promise<number> => {
      await load.stop();
      await reload();
      return (await totals.read()) ?? 0;
    };
    // What no worker hands over is lost with it.
    const lostShare = major === 2 ? 0.05 : 0.002;
    const expectCounted = (found: Figures, before: Figures) => {
      expect(found.counted).toBeLessThanOrEqual(found.sent);
      const answered = found.answered - before.answered;
      const during = found.duringReloads - before.duringReloads;
      const lost = answered - (found.counted - before.counted);
      if (longTests) console.log(`${lost} of ${answered} lost, ${during} answered during reloads`);
      expect(lost).toBeLessThanOrEqual(longTests ? lostShare * Math.max(answered, during / reloadShare) : during);
      // Else nothing would have to be counted.
      expect(during).toBeLessThan(answered);
    };
    const figures = async (): Promise<Figures> => {
      const sum = await counted();
      return { counted: sum, answered: load.answered, sent: load.sent, duringReloads };
    };
    let watching: Promise<void> | null = null;
    try {
      await service.block('127.9.0.0/16');
      await eventually('the figures are loaded', async () => (await totals.read()) !== null);
      watching = totals.watch(end.signal);
      load.start();
      await pause(betweenReloadsMs);
      for (let nth = 1; nth <= reloads; nth += 1) await reloading(reload);
      const first = await figures();
      expectCounted(first, { counted: 0, answered: 0, sent: 0, duringReloads: 0 });

      load.start();
      await pause(betweenReloadsMs);
      service.kill('SIGKILL');
      await service.ended();
      await pause(deadMs / 2);
      // A worker of HAProxy 2.6 takes along what was not read.
      if (major > 2) await reloading(replaceWorker);
      await pause(deadMs / 2);
      await service.launch();
      await eventually('the figures are loaded', async () => (await totals.read()) !== null);
      expectCounted(await figures(), first);
      expect(load.unexpected).toBe('');
      expect(totals.fallen).toEqual([]);
    } finally {
      end.abort();
      await load.stop();
      await watching;
      await service.stop();
    }
  });
});

// Promise 7: no race between blocks and reloads loses an entry, and no client notices. Three reloads, twenty in
// `npm run test:long`.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestReload } from '../src/haproxy/process/reload-triggers.ts';
import { eventually, patienceMs, within } from '../testkit/conditions.ts';
import { describeOnNewestProxy, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { addressOf, expectAgreement } from '../testkit/traffic.ts';
import { Visitor } from '../testkit/visitor.ts';

const reloads = longTests ? 20 : 3;
const blocks = reloads * 100;
const atATime = 8;

describeOnNewestProxy('blocks against reloads', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service.stop());

  it('loses no block, adds no duplicate, and fails no client', async () => {
    const traffic = new Visitor(service, '127.0.0.9');
    const perReload = blocks / reloads;
    let released = 0;
    let taken = 0;
    const answers: { ip: string; status: number; body: Record<string, unknown> }[] = [];
    const blockAll = async (): Promise<void> => {
      while (taken < blocks) {
        const number = taken;
        taken += 1;
        await eventually('its reload has begun', () => number < released);
        const ip = addressOf(number);
        const { status, body } = await service.block(ip);
        answers.push({ ip, status, body });
      }
    };
    const reloadAll = async (): Promise<Set<number>> => {
      const workers = new Set([await service.workerPid()]);
      for (let turn = 0; turn < reloads; turn += 1) {
        released += perReload;
        if (turn % 2 === 0) expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
        else await reloadOutside(service);
        workers.add(await service.workerPid());
        await eventually('the blocks keep up', () => answers.length > released - perReload);
      }
      return workers;
    };

    const [workers] = await Promise.all([reloadAll(), ...Array.from({ length: atATime }, blockAll)]);
    expect(workers.size).toBe(reloads + 1);
    expect(answers).toHaveLength(blocks);
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
    const wanted = answers.map(({ ip }) => ip);
    await service.healthy();
    await expectAgreement(service, wanted);
    // Duplicates would have been removed by now.
    expect(await duplicatesSeen(service)).toBe(0);
    expect(await service.listed()).toHaveLength(blocks);
    for (let number = 0; number < blocks; number += 20) expect(await service.visit(addressOf(number))).toBe(403);

    const { visits, failures } = await traffic.stop();
    expect(failures).toEqual([]);
    expect(visits).toBeGreaterThan(reloads);
  });
});

/** By all comparisons of the blocked map. */
async function duplicatesSeen(service: RealService): Promise<number> {
  const { text } = await service.call('GET', '/metrics');
  const seen = /^proxy_manager_drift_seen_total\{(?=[^}]*map="blocked")(?=[^}]*kind="duplicate")[^}]*\} (\d+)$/m.exec(
    text,
  );
  return Number(seen?.[1]);
}

async function reloadOutside(service: RealService): Promise<void> {
  const before = await service.workerPid();
  await eventually('the master took the reload', async () => {
    await requestReload(service.socket, within(patienceMs));
    return true;
  });
  await eventually('a new worker serves', async () => (await service.workerPid()) !== before);
}

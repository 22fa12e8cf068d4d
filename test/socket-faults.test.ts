// HAProxy works, but replies on its socket are late, cut, wrong or absent: each change is answered with 2xx meanwhile,
// claims nothing that is not so, and everything is in sync afterwards.
import { kill } from 'node:process';
import { expect, it } from 'vitest';
import { describeOnOneProxy, sampled } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { type Misbehaviour, SocketInterposer } from '../testkit/socket-interposer.ts';
import { suspend } from '../testkit/suspend.ts';
import { expectAgreement } from '../testkit/traffic.ts';

/** For the others see degrading.test.ts and the chaos program. */
const looked: readonly Misbehaviour[] = sampled(['hang', 'half', 'foreign', 'silent', 'slow'], (how) =>
  ['half', 'silent'].includes(how),
);

describeOnOneProxy('a master socket with faults injected between it and the service', ({ bin }) => {
  it('reports no entry as updated that is not, and is in sync after the faults end', async () => {
    const service = await RealService.start({ bin });
    try {
      await service.healthy();
      const blocked = new Set<string>();
      let last = 0;
      const block = async (): Promise<void> => {
        last += 1;
        const ip = `127.1.${last >> 8}.${last & 255}`;
        const answer = await service.block(ip);
        expect(answer.status).toBe(201);
        blocked.add(ip);
        if (answer.body['runtime_map_updated'] === true) expect(await service.visit(ip), answer.text).toBe(403);
        else expect(answer.body['runtime_map_failures'][0].reason, answer.text).toMatch(/\w/);
      };
      const unblock = async (): Promise<void> => {
        const [ip = ''] = blocked;
        blocked.delete(ip);
        const answer = await service.unblock(ip);
        expect(answer.status).toBe(200);
        if (answer.body['runtime_map_updated'] === true) expect(await service.visit(ip), answer.text).toBe(200);
      };
      for (let nth = 0; nth < 20; nth += 1) await block();
      const interposer = await SocketInterposer.at(service.paths.masterSocket);
      await service.healthy();
      for (const how of looked) {
        // Every third: some commands of one change are answered, others are not.
        for (const every of how === 'half' || how === 'foreign' ? [1, 3] : [1]) {
          interposer.misbehave(how, every);
          for (let nth = 0; nth < 2; nth += 1) {
            await block();
            await unblock();
          }
          await Promise.all(Array.from({ length: 5 }, block));
          if (every === 1 && how !== 'slow') expect((await service.health()).body['status'], how).toBe('degraded');
          interposer.misbehave(null);
          await service.healthy().catch(async (cause: unknown) => {
            const { text } = await service.health();
            throw new Error(`not healthy after ${how}, every ${every}. reply: ${text}`, { cause });
          });
          await expectAgreement(service, blocked);
          expect((await service.listed()).sort(), how).toEqual([...blocked].sort());
        }
      }
      await interposer.release();
      await service.healthy();
      await block();
      // A reload that does not end: the old worker serves, the master does not answer.
      const { master } = await service.processes();
      kill(master.pid, 'SIGUSR2');
      await suspend(master.pid);
      for (let nth = 0; nth < 2; nth += 1) {
        await block();
        await unblock();
      }
      expect(await service.visit('127.0.9.9')).toBe(200);
      kill(master.pid, 'SIGCONT');
      await service.healthy();
      await expectAgreement(service, blocked);
      for (const ip of [...blocked].slice(-2)) expect(await service.visit(ip)).toBe(403);
      expect(await service.visit('127.0.9.9')).toBe(200);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await service.logText()}`, { cause: error });
    } finally {
      await service.stop();
    }
  });
});

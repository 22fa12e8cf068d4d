// The first start, with an existing map file, crashes at each step. The next start unblocks no address, imports nothing
// twice, and the key in the file works. `npm test` runs two steps on one version, one after the other.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { crashPoints, crashVariable } from '../src/faults/crash-point.ts';
import { checkConfiguration } from '../src/haproxy/process/binary.ts';
import { eventually } from '../testkit/conditions.ts';
import { operationTo } from '../testkit/crash-scenarios.ts';
import { describeOnOneProxy, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { expectAgreement } from '../testkit/traffic.ts';

const sample = ['import.group-stored', 'first-key.stored'];
const heldBefore = ['127.80.0.0/30', '127.80.1.1', '127.80.1.2'];

/** Of the first start alone, and each complete file that it writes. */
const moments = [
  ...crashPoints.filter((point) => operationTo[point] === 'first start'),
  ...['map-rewrite.begun', 'map-rewrite.sealed', 'map-rewrite.renamed', 'candidate.renamed'],
  ...['known-good.written', 'known-good.linked', 'proxy.spawned'],
  ...[1, 2, 3, 4, 5, 6].map((nth) => `atomic-file.renamed:${nth}`),
];

describeOnOneProxy('a first start', ({ bin }) => {
  let service: RealService | null = null;
  afterEach(() => service?.stop());

  for (const deaths of longTests ? moments.map((moment) => [moment]) : [sample]) {
    it(`that dies at ${deaths.join(', and again at ')} is repaired by the next`, async () => {
      const environment = (moment: string) => ({ PROXY_MANAGER_API_KEY: '', [crashVariable]: moment });
      const began = await RealService.start({
        bin,
        environment: environment(deaths[0] ?? ''),
        waitUntilReady: false,
        before: async ({ blockedMap }) => {
          await mkdir(dirname(blockedMap), { recursive: true });
          await writeFile(blockedMap, heldBefore.map((ip) => `${ip} 1\n`).join(''));
        },
      });
      service = began;
      const { paths } = began;
      for (const [at, moment] of deaths.entries()) {
        if (at > 0) await began.launch(environment(moment));
        expect(await began.ended()).toMatchObject({ signal: 'SIGKILL' });
        expect(await readFile(paths.jsonLog, 'utf8')).toContain(`{"killed_at":"${moment.split(':')[0]}"}`);
        expect(await began.fileEntries(), 'the map file meanwhile').toEqual(heldBefore.map((ip) => `${ip} 1`));
      }

      await began.launch({ [crashVariable]: '' });
      const ready = async () => (await began.call('GET', '/readyz', { key: null })).status === 200;
      await eventually('it is ready', ready);
      began.key = (await readFile(join(paths.stateDir, 'api-key'), 'utf8')).trim();
      await began.healthy();
      expect(await began.listed()).toEqual(heldBefore);
      await expectAgreement(began, heldBefore);
      const { body } = await began.call('GET', '/api/blocked-ips/127.80.1.1');
      expect(body).toMatchObject({ blocked_by: 'import:map-file', expires_at: null });
      expect(await Promise.all(['127.80.0.2', '127.80.1.2', '127.0.0.9'].map((ip) => began.visit(ip)))).toEqual([
        403, 403, 200,
      ]);
      expect((await began.block('127.80.2.1')).status).toBe(201);
      expect(await checkConfiguration(bin, paths.config)).toMatchObject({ valid: true });
    });
  }
});

// Many certificates ordered at once from a real authority that refuses half of the nonces. `npm test` orders ten of them;
// `npm run test:long` two hundred, and the authority takes its usual seconds for each validation.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPebble, Pebble } from '../testkit/acme/pebble.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnOneProxy, longTests } from '../testkit/proxies.ts';
import { type JsonBody, RealService } from '../testkit/real-service.ts';
import { servedSha1 } from '../testkit/tls/made-certificate.ts';

const count = longTests ? 200 : 10;
const limitMs = longTests ? 1_800_000 : 60_000;
const names = Array.from({ length: count }, (_, at) => `site-${at}.example`);
/** Nothing listens there. */
const unreachable = names.filter((_, at) => at % 5 === 4);
const elsewhere = '127.0.0.99';

describeWithPebble('an authority', () => {
  describeOnOneProxy('asked for many certificates', ({ bin }) => {
    let pebble: Pebble;
    let service: RealService;
    const httpsPort = { port: 0 };
    beforeAll(async () => {
      const proxyPort = await freePort();
      httpsPort.port = await freePort();
      const environment = longTests ? { PEBBLE_VA_NOSLEEP: '0' } : {};
      pebble = await Pebble.start({ httpPort: proxyPort, refusedNonces: 50, environment });
      for (const name of unreachable) await pebble.pointTo(name, elsewhere);
      service = await RealService.start({
        ...{ bin, proxyPort },
        environment: {
          PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${httpsPort.port}`,
          ...(await pebble.settings()),
        },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await pebble?.stop();
    });

    it(`issues ${count - unreachable.length} of ${count}, once each, and names why the others fail`, {
      timeout: limitMs + 60_000,
    }, async () => {
      const worker = await service.workerPid();
      const ids = await Promise.all(
        names.map(async (name) => {
          const { status, text, body } = await service.call('POST', '/api/acme/certificates', {
            body: { names: [name] },
          });
          expect(status, text).toBe(202);
          return String(body['id']);
        }),
      );
      const ordered = async () => {
        const all: JsonBody[] = [];
        for (const id of ids) all.push((await service.call('GET', `/api/acme/certificates/${id}`)).body);
        return all;
      };
      const done = await eventually(
        'no order is open',
        async () => {
          const all = await ordered();
          return all.every(({ attempts: [last] }: JsonBody) => last !== undefined && last.ended_at !== null) && all;
        },
        limitMs,
        longTests ? 2_000 : 200,
      );
      const failed = done.filter(({ not_after: end }) => end === null);
      expect(failed.map(({ names: [name] }) => name)).toEqual(unreachable);
      for (const {
        problem,
        attempts,
        names: [name],
      } of failed) {
        expect(problem).toMatchObject({
          class: 'will retry',
          type: 'connection',
          advice: expect.stringMatching(/port 80/),
        });
        expect(problem.subproblems).toMatchObject([{ name, detail: expect.stringContaining(elsewhere) }]);
        expect(attempts).toHaveLength(1);
      }
      expect(pebble.output.split('Issued certificate serial').length - 1).toBe(count - unreachable.length);
      // The default certificate for those that failed.
      await eventually('each has its own certificate', async () => {
        const served = await Promise.all(names.map((name) => servedSha1(httpsPort.port, name)));
        return new Set(served).size === count - unreachable.length + 1;
      });
      expect(await service.workerPid()).toBe(worker);
      const [shown] = await service.raw(`@1 show map ${service.paths.prefix}/etc/proxy/acme_challenges.map`);
      expect(shown?.trim()).toBe('');
    });
  });
});

// Many certificates ordered at once from a real authority that refuses half of the nonces. `npm test` orders fifteen of
// them; `npm run test:long` two hundred, and the authority takes its usual seconds for each validation.
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPebble, Pebble } from '../../testkit/acme/pebble.ts';
import { eventually, patienceMs } from '../../testkit/conditions.ts';
import { DnsServer } from '../../testkit/dns-server.ts';
import { freePort } from '../../testkit/free-port.ts';
import { IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { PebbleAuthority, PebbleWithWeb } from '../../testkit/issuance/pebble-issuance.ts';
import { describeOnOneProxy, longTests } from '../../testkit/proxies.ts';
import { type JsonBody, RealService } from '../../testkit/real-service.ts';
import { servedSha1 } from '../../testkit/tls/made-certificate.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const count = longTests ? 200 : 15;
/** Requests at a time. Orders begin with the first, and wait for one another. */
const AT_ONCE = 20;
const limitMs = longTests ? 1_800_000 : patienceMs;
const nothingListens = '127.0.0.99';
const otherServer = '127.0.0.98';

type Fault = 'closed' | 'unknown' | 'wrong';
const faults: readonly Fault[] = ['closed', 'unknown', 'wrong'];
/** Pebble calls a name that does not exist a failed connection, too. */
const expected: Readonly<Record<Fault, object>> = {
  closed: { class: 'will retry', type: 'connection', advice: expect.stringMatching(/port 80/) },
  unknown: { class: 'will retry', type: 'connection', detail: expect.stringMatching(/could not resolve/) },
  wrong: { class: 'will retry', type: 'unauthorized', advice: expect.stringMatching(/another server/) },
};

/** Each fifth fails, in three ways. */
function wantedNames(most: number): ReadonlyMap<string, Fault | null> {
  const all = Array.from({ length: most }, (_, at): [string, Fault | null] => [
    `site-${at}.example`,
    at % 5 === 4 ? faults[Math.floor(at / 5) % faults.length]! : null,
  ]);
  return new Map(all);
}

/** One that does not know `unknown` names. */
async function nameServerOf(names: ReadonlyMap<string, Fault | null>): Promise<DnsServer> {
  const server = await DnsServer.start('127.0.0.2');
  for (const [name, fault] of names) {
    const address = fault === 'closed' ? nothingListens : fault === 'wrong' ? otherServer : '127.0.0.1';
    if (fault !== 'unknown') server.records.set(`A ${name}`, [address]);
  }
  return server;
}

/** Answers each challenge with another answer. */
async function wrongServer(port: number): Promise<Server> {
  const server = createServer((request, response) => response.end(`${request.url?.split('/').at(-1)}.wrong`));
  await new Promise<void>((resolve) => server.listen(port, otherServer, resolve));
  return server;
}

describeWithPebble('an authority', () => {
  describeOnOneProxy('asked for many certificates', ({ bin }) => {
    const names = wantedNames(count);
    const failing = [...names].filter(([, fault]) => fault !== null);
    let nameServer: DnsServer;
    let other: Server;
    let pebble: Pebble;
    let service: RealService;
    const httpsPort = { port: 0 };
    beforeAll(async () => {
      const proxyPort = await freePort();
      httpsPort.port = await freePort();
      nameServer = await nameServerOf(names);
      other = await wrongServer(proxyPort);
      pebble = await Pebble.start({
        ...{ httpPort: proxyPort, refusedNonces: 50, nameServer: `127.0.0.2:${nameServer.port}` },
        environment: longTests ? { PEBBLE_VA_NOSLEEP: '0' } : {},
      });
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
      other?.close();
      nameServer?.stop();
    });

    it(`issues ${count - failing.length} of ${count}, once each, and names why the others fail`, {
      timeout: limitMs + patienceMs,
    }, async () => {
      const worker = await service.workerPid();
      const ids: string[] = [];
      const request = async (name: string) => {
        const { status, text, body } = await service.call('POST', '/api/acme/certificates', {
          body: { names: [name] },
        });
        expect(status, text).toBe(202);
        return String(body['id']);
      };
      // Each is tested with HAProxy before its answer: with two hundred at once, the last one waits for longer than a minute.
      const all = [...names.keys()];
      for (let at = 0; at < count; at += AT_ONCE) {
        ids.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(request))));
      }
      const ordered = async () => {
        const all: JsonBody[] = [];
        for (const id of ids) all.push((await service.call('GET', `/api/acme/certificates/${id}`)).body);
        return all;
      };
      // After ten minutes those that failed are ordered again: the first order of each counts.
      const isDone = ({ attempts }: JsonBody) => attempts.length > 0 && attempts.at(-1).ended_at !== null;
      const done = await eventually(
        'the first order of each has ended',
        async () => {
          const all = await ordered();
          const open = all.filter((one) => !isDone(one)).length;
          if (open > 0) throw new Error(`open: ${open} of ${count}`);
          return all;
        },
        limitMs,
        longTests ? 2_000 : 200,
      );
      const failed = done.filter(({ not_after: end }) => end === null);
      expect(failed.map(({ names: [name] }) => name)).toEqual(failing.map(([name]) => name));
      for (const {
        attempts,
        names: [name],
      } of failed) {
        const { state, problem } = attempts.at(-1);
        expect([name, state, problem]).toMatchObject([name, 'failed', expected[names.get(name)!]]);
        expect(problem.subproblems).toMatchObject([{ name }]);
      }
      for (const { attempts, not_after: end } of done) if (end !== null) expect(attempts).toHaveLength(1);
      expect(pebble.output.split('Issued certificate serial').length - 1).toBe(count - failing.length);
      // The default certificate for those that failed.
      await eventually('each has its own certificate', async () => {
        const served = await Promise.all([...names.keys()].map((name) => servedSha1(httpsPort.port, name)));
        return new Set(served).size === count - failing.length + 1;
      });
      expect(await service.workerPid()).toBe(worker);
      const shown = async () =>
        (await service.raw(`@1 show map ${service.paths.prefix}/etc/proxy/acme_challenges.map`))[0];
      await eventually('no challenge is left', async () => (await shown())?.trim() === '');
    });
  });

  it.runIf(longTests)(
    'within seven days issues what it can, and validates what fails at most 3 times an hour',
    {
      timeout: limitMs,
    },
    async () => {
      const names = wantedNames(15);
      const nameServer = await nameServerOf(names);
      const web = await PebbleWithWeb.start({ nameServer: `127.0.0.2:${nameServer.port}` });
      const other = await wrongServer(web.httpPort);
      const kit = await IssuanceKit.openWith(new PebbleAuthority(web));
      kit.longestWaitMs = 5_000;
      const ids = new Map<string, string>();
      for (const name of names.keys()) ids.set(name, await kit.request(name));
      await kit.passMoved(7 * DAY);
      for (const [name, fault] of names) {
        const attempts = await kit.issuance.attempts(ids.get(name)!, 99);
        if (fault === null) expect(attempts).toMatchObject([{ state: 'stored' }]);
        else {
          expect(await kit.wanted.get(ids.get(name)!), name).toMatchObject({ problem: expected[fault] });
          const begun = attempts.map(({ createdAt }) => createdAt.getTime());
          const within = (at: number) => begun.filter((one) => one >= at && one < at + HOUR).length;
          expect(Math.max(...begun.map(within)), name).toBeLessThanOrEqual(3);
          expect(attempts.length, name).toBeGreaterThan(8);
          expect(attempts.length, name).toBeLessThan(20);
        }
      }
      expect(web.issued).toBe(12);
      await kit.remove();
      await web.stop();
      other.close();
      nameServer.stop();
    },
  );
});

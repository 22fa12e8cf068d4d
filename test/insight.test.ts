// What HAProxy counts reaches the API, through reloads and deaths of the service.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { setClock, settableClock } from '../testkit/clock.ts';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { eventually, untilPasses } from '../testkit/conditions.ts';
import { listenFromStart, listenTo } from '../testkit/event-stream.ts';
import { PacedClients } from '../testkit/insight/paced-clients.ts';
import { describeOnOneProxy, itInLongTests, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

interface Point {
  /** When the step begins, in seconds. */
  readonly at: number;
  /** Null: not known. */
  readonly value: number | null;
}

const loaded = (service: RealService) =>
  eventually('the figures are loaded', async () => (await service.call('GET', '/api/insight')).status === 200);
const lastRead = async (service: RealService): Promise<number | null> => {
  const { status, body } = await service.call('GET', '/api/insight');
  return status === 200 && body['last_read_at'] !== null ? Date.parse(body['last_read_at']) : null;
};

describeOnOneProxy('insight', ({ bin }) => {
  it('counts denied requests exactly and attributes them, through reloads and a death of the service', async () => {
    const service = await RealService.start({ bin });
    try {
      for (const ip_address of ['127.9.0.0/16', '127.9.1.2'])
        await service.call('POST', '/api/blocked-ips', { body: { ip_address } });
      const denied = async (from: string, times: number) => {
        for (let n = 0; n < times; n += 1) expect(await service.visit(from)).toBe(403);
      };
      // The service reads before its own reload.
      const reload = async () => expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
      const knocking = async () => {
        const { body } = await service.call<{ items: { ip_address: string; entry: string; hits: number }[] }>(
          'GET',
          '/api/insight/knocking',
        );
        return Object.fromEntries(
          (body.items ?? []).map(({ ip_address, entry, hits }) => [ip_address, `${hits} ${entry}`]),
        );
      };
      await loaded(service);
      expect(await service.visit('127.0.0.1')).not.toBe(403);
      await denied('127.9.1.2', 5);
      await denied('127.9.7.7', 3);
      await reload();
      expect(await knocking()).toEqual({ '127.9.1.2': '5 127.9.1.2', '127.9.7.7': '3 127.9.0.0/16' });
      await denied('127.9.1.2', 2);
      await reload();
      expect(await knocking()).toMatchObject({ '127.9.1.2': '7 127.9.1.2' });

      const user = new CommandLineUser(service);
      expect((await user.run(['top', '-n', '1'])).out).toMatch(/^7\t\S+\t127\.9\.1\.2\t127\.9\.1\.2\tmanual\n$/);
      expect(await user.run(['candidates', 'ls'])).toMatchObject({ code: 0, out: '' });
      expect((await user.run(['candidates', 'ignore', '127.9.1.2', '--for', '1d'])).out).toContain('is ignored until');

      if (longTests) {
        service.kill('SIGTERM');
        await service.ended();
        await service.launch();
      }
      await denied('127.9.7.7', 4);
      service.kill('SIGKILL');
      await service.ended();
      await denied('127.9.7.7', 1);
      await service.launch();
      const all = { '127.9.1.2': '7 127.9.1.2', '127.9.7.7': '8 127.9.0.0/16' };
      await eventually('the tables are read', async () => JSON.stringify(await knocking()).includes('8 127.9'));
      expect(await knocking()).toEqual(all);
      expect((await user.run(['stats', '--range', '1h'])).out).toContain('15 denied');
      const { body } = await service.call<Record<string, unknown>>('GET', '/api/insight?range=1h');
      expect(body).toMatchObject({ denied: 15, not_attributed: 0, addresses: 2, new_addresses: 2 });
    } finally {
      await service.stop();
    }
  });

  itInLongTests(
    'reports an attack of three minutes once, through a restart, and its end after ten calm minutes',
    async () => {
      const service = await RealService.start({ bin, environment: settableClock });
      const { prefix } = service.paths;
      let offset = 0;
      /** Readings fifty seconds apart by the service's clock, each of so many requests. */
      const readings = async (times: number, requests: number) => {
        for (let n = 0; n < times; n += 1) {
          const before = await lastRead(service);
          const client = service.keepAliveClient('127.9.1.1');
          for (let sent = 0; sent < requests; sent += 1) expect(await client.visit()).toBe(403);
          client.close();
          const at = await eventually('the tables are read', async () => {
            const read = await lastRead(service);
            return read !== null && read !== before && read;
          });
          // The next one comes after ten seconds, or a little later on a slow machine; after more than sixty it is no minute.
          offset += 40_000 - Math.max(0, Date.now() + offset - at);
          await setClock(prefix, offset);
        }
      };
      const attacks = async () => (await service.call('GET', '/api/insight/attacks')).body['items'];
      try {
        await service.block('127.9.0.0/16');
        await loaded(service);
        let events = await listenFromStart(service);
        const attackEvents = () => events.types.filter((type) => type.startsWith('attack.'));
        await readings(6, 15);
        await readings(1, 200);
        await readings(4, 15);
        expect(await attacks()).toEqual([]);
        await readings(5, 200);
        expect(await attacks()).toMatchObject([{ ended_at: null }]);
        await untilPasses(() => expect(attackEvents()).toEqual(['attack.started']));

        service.kill('SIGKILL');
        await service.ended();
        await service.launch();
        await loaded(service);
        events.close();
        events = await listenFromStart(service);
        await readings(3, 200);
        // Nine minutes are not enough.
        await readings(9, 15);
        expect(await attacks()).toMatchObject([{ ended_at: null }]);
        await readings(6, 15);
        const [attack, ...more] = await attacks();
        expect(more).toEqual([]);
        expect(attack).toMatchObject({ ended_at: expect.any(String), usual: expect.any(Number) });
        expect(attack.usual).toBeLessThan(40);
        expect(attack.peak).toBeGreaterThanOrEqual(200);
        await untilPasses(() => expect(attackEvents()).toEqual(['attack.ended']));
        events.close();
      } finally {
        await service.stop();
      }
    },
  );

  itInLongTests('lists a loud client with errors within eleven minutes, until it is blocked', async () => {
    const missing = '/missing';
    const site = createServer((request, response) => {
      response.statusCode = request.url === missing ? 404 : 200;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const service = await RealService.start({ bin });
    const [loud, trusted, upstream] = ['127.9.1.1', '127.9.2.1', '127.9.3.1'];
    const failing = (nth: number) => (nth % 10 === 0 ? '/' : missing);
    const calm = Array.from({ length: 47 }, (_, n) => ({ address: `127.9.4.${n + 1}`, path: () => '/' }));
    const clients = [...calm, ...[loud, trusted, upstream].map((address) => ({ address: address!, path: failing }))];
    const rate = 40;
    const load = new PacedClients(service.proxyPort, 'shop.example', clients, rate);
    const found = async () => (await service.call('GET', '/api/insight/candidates')).body['items'];
    try {
      const { port } = site.address() as AddressInfo;
      for (const [path, body] of [
        ['/api/sites/shop.example', { servers: [{ address: '127.0.0.1', port }] }],
        ['/api/upstreams/front', { networks: ['127.9.3.0/24'], header: 'x-forwarded-for' }],
        [`/api/trusted-ips/${trusted}`, {}],
      ] as const)
        expect((await service.call('PUT', path, { body })).status).toBe(201);
      await loaded(service);
      const events = await listenTo(service);
      const minuteMs = 60_000;
      // The estimate is of ten minutes of the clock, the first of which would be a short one.
      await pause(minuteMs - (Date.now() % minuteMs));
      const began = performance.now();
      load.start();
      const items = await eventually(
        'the loud client is listed',
        async () => {
          const listed = await found();
          return listed.length > 0 && listed;
        },
        11 * minuteMs,
        1_000,
      );
      const seconds = (performance.now() - began) / 1_000;
      const sent = load.answered(loud!, '404') + load.answered(loud!, '200');
      expect(items).toMatchObject([{ ip_address: loud }]);
      const [{ rate: estimate, error_share: share }] = items;
      console.log(`${estimate} of ${sent / seconds} requests/s after ${seconds} s, ${share} errors`);
      expect(Math.abs(estimate / (sent / seconds) - 1)).toBeLessThanOrEqual(0.15);
      expect(Math.abs(share / 0.9 - 1)).toBeLessThanOrEqual(0.15);
      await eventually('it is reported', () => events.types.includes('candidate.found'));

      const { code } = await new CommandLineUser(service).run(['candidates', 'block', loud!, '--for', '1d']);
      expect(code).toBe(0);
      expect(await service.visit(loud!, { host: 'shop.example' })).toBe(403);
      await eventually('its open connection is denied', () => load.answered(loud!, '403') > 0);
      expect(await found()).toEqual([]);
      // The others were loud for as long.
      for (const address of [trusted!, upstream!]) {
        expect(await service.visit(address, { host: 'shop.example' })).toBe(200);
        expect(load.answered(address, '404')).toBeGreaterThan(0.8 * load.answered(loud!, '404'));
      }
      expect(events.types.filter((type) => type === 'candidate.found')).toHaveLength(1);
      events.close();
    } finally {
      load.stop();
      await service.stop();
      site.close();
      site.closeAllConnections();
    }
  });

  itInLongTests('keeps the chart of a day through kills of the service and of HAProxy, and a reload', async () => {
    const service = await RealService.start({ bin });
    // A complete minute is in it. Not by a clock of the service's own: HAProxy says when its worker began.
    const downMs = 130_000;
    const seconds = () => Date.now() / 1_000;
    const kill = async () => {
      service.kill('SIGKILL');
      await service.ended();
    };
    const killProxy = async () => {
      const pids = await service.proxyPids();
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await eventually('HAProxy is gone', async () => {
        const left = await service.proxyPids();
        return !left.some((pid) => pids.includes(pid));
      });
    };
    let sent = 0;
    const deny = async (times: number) => {
      for (let n = 0; n < times; n += 1) expect(await service.visit('127.9.1.1')).toBe(403);
      sent += times;
    };
    const series = async (range: string) => {
      const { body } = await service.call('GET', `/api/insight/series?range=${range}`);
      const points: Point[] = body['values'][0].map((value: number | null, n: number) => ({
        ...{ at: Date.parse(body['from']) / 1_000 + n * body['step_seconds'], value },
      }));
      const marks: { kind: string; text: string }[] = body['marks'];
      return { points, gaps: marks.filter(({ kind }) => kind === 'gap').map(({ text }) => text) };
    };
    const chart = async () => ({ hour: await series('1h'), day: await series('24h') });
    type Chart = Awaited<ReturnType<typeof chart>>;
    const sumOf = (points: readonly Point[]) => points.reduce((all, { value }) => all + (value ?? 0), 0);
    /** And of the steps before, which those of the earlier chart were, none has changed. */
    const stored = async (before: Chart | null) => {
      const now = await untilPasses(async () => {
        const one = await chart();
        for (const { points } of [one.hour, one.day]) expect(sumOf(points)).toBeCloseTo(sent, 1);
        return one;
      });
      for (const range of before === null ? [] : (['hour', 'day'] as const)) {
        const is = new Map(now[range].points.map(({ at, value }) => [at, value]));
        const known = before![range].points;
        const last = known.findLast(({ value }) => value !== null)!.at;
        for (const { at, value } of known) {
          // The chart has moved on; its last step goes on.
          if (!is.has(at)) continue;
          if (at < last) expect(is.get(at), `${range}, step ${at}`).toBe(value);
          if (at === last) expect(is.get(at), `${range}, step ${at}`).toBeGreaterThanOrEqual(value!);
        }
      }
      return now;
    };
    /** Of the complete minutes from `from` to `to`. */
    const between = ({ hour }: Chart, from: number, to: number) => {
      const values = hour.points.filter(({ at }) => at >= from && at + 60 <= to).map(({ value }) => value);
      expect(values.length).toBeGreaterThan(0);
      return values;
    };
    const replaced = 'Gap: HAProxy was started again, or reloaded by another process';
    try {
      await service.block('127.9.0.0/16');
      await loaded(service);
      await deny(20);
      const first = await stored(null);
      expect(first.day.gaps).toEqual([]);
      // Nothing is known of the time before the first reading.
      expect(first.day.points.slice(0, -2).filter(({ value }) => value !== null)).toEqual([]);

      await kill();
      const stopped = seconds();
      await deny(30);
      await pause(downMs);
      const started = seconds();
      await service.launch();
      await loaded(service);
      const second = await stored(first);
      expect(second.day.gaps).toEqual(['Gap: the service was stopped']);
      // An average of the gap.
      for (const value of between(second, stopped, started)) expect(value).toBeGreaterThan(3);

      // What HAProxy counts in the two seconds after a reading may be lost without a gap: as before a reload.
      // Not so late either that the next reading comes before the kill.
      await eventually('the last reading is three to six seconds old', async () => {
        const read = await lastRead(service);
        const age = read === null ? null : Date.now() - read;
        return age !== null && age > 3_000 && age < 6_000;
      });
      await killProxy();
      await service.healthy();
      await deny(5);
      const third = await stored(second);
      expect(third.day.gaps).toEqual([...second.day.gaps, replaced]);

      await kill();
      await killProxy();
      const down = seconds();
      await pause(downMs);
      const up = seconds();
      await service.launch();
      await loaded(service);
      await deny(5);
      const fourth = await stored(third);
      for (const value of between(fourth, down, up)) expect(value).toBeNull();
      expect(fourth.day.gaps).toEqual([...third.day.gaps, replaced]);

      expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
      await deny(5);
      const last = await stored(fourth);
      expect(last.day.gaps).toEqual(fourth.day.gaps);
    } finally {
      await service.stop();
    }
  });
});

// The action of packaging/fail2ban inside a real fail2ban, with the real service and HAProxy.
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { describeWithFail2ban, RealFail2ban } from '../testkit/fail2ban.ts';
import { Syslog } from '../testkit/haproxy/syslog.ts';
import { LostReply } from '../testkit/lost-reply.ts';
import { program } from '../testkit/program.ts';
import { describeOnOneProxy, itInLongTests, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeWithFail2ban('fail2ban', () => {
  describeOnOneProxy('with proxy-manager', ({ bin }) => {
    let service: RealService;
    let fail2ban: RealFail2ban;
    let between: LostReply;
    let syslog: Syslog;
    const claimsOf = async (ip: string): Promise<string[]> => {
      const { status, body } = await service.call('GET', `/api/blocked-ips/${encodeURIComponent(ip)}`);
      if (status === 404) return [];
      return ((body['claims'] as { source: string }[] | undefined) ?? [{ source: 'manual' }]).map(
        ({ source }) => source,
      );
    };
    const rowOf = async (ip: string) =>
      (await service.call('GET', `/api/blocked-ips/${encodeURIComponent(ip)}`)).body as { expires_at: string | null };
    const denied = async (ip: string) =>
      await eventually(`${ip} gets 403`, async () => (await service.visit(ip)) === 403);
    const served = async (ip: string) =>
      await eventually(`${ip} is served`, async () => (await service.visit(ip)) !== 403);
    const ban = async (ip: string, jail = 'shop') => {
      await fail2ban.command('set', jail, 'banip', ip);
      await denied(ip);
    };
    const idle = async (jail = 'shop') =>
      await eventually('everything is sent', () => !existsSync(`${fail2ban.keyFile}.${jail}.unsent`));
    const isLogged = async (text: string) =>
      await eventually(`"${text}" is in the log`, () => fail2ban.log.includes(text));
    const restored = async (ip: string) =>
      await eventually(`${ip} is restored`, () => fail2ban.log.split(`Restore Ban ${ip}`).length > 1);

    beforeAll(async () => {
      syslog = await Syslog.listen();
      service = await RealService.start({ bin, environment: { PROXY_MANAGER_ACCESS_LOG: syslog.address } });
      const body = { name: 'fail2ban', scopes: ['block'], source: 'fail2ban' };
      const { body: made } = await service.call('POST', '/api/keys', { body });
      const url = `http://127.0.0.1:${service.apiPort}`;
      between = await LostReply.listen(() => service.apiPort);
      const key = '%(key)s';
      const python = (options = '') =>
        `action = proxy-manager.py[url="${url}", key="${key}", retry=1, restoring=1${options}]`;
      const { body: other } = await service.call('POST', '/api/keys', { body: { name: 'old', scopes: ['block'] } });
      const unbound = (keyFile: string): string => {
        writeFileSync(`${keyFile}.old`, other['key'], { mode: 0o600 });
        return `${keyFile}.old`;
      };
      const growing = ['bantime = 5s', 'bantime.increment = true', 'bantime.multipliers = 1 2000'];
      const pm = `PROXY_MANAGER_URL=${url} PROXY_MANAGER_API_KEY_FILE=<key> PROXY_MANAGER_NODE=${process.execPath} ${program()}`;
      fail2ban = await RealFail2ban.create(made['key'], (keyFile) => {
        const of = (line: string) => line.replaceAll(key, keyFile);
        return [
          { name: 'shop', settings: [of(python())] },
          { name: 'long', settings: ['bantime = -1', of(python())] },
          { name: 'lost', settings: [of(python(', release=1').replace(url, `http://127.0.0.1:${between.port}`))] },
          { name: 'requests', settings: ['filter = proxy-manager[statuses="400|401|403"]', of(python())] },
          { name: 'wide', settings: [of(python(', ipv6_prefix=64'))] },
          ...(longTests ? [{ name: 'growing', settings: [...growing, of(python())] }] : []),
          ...(longTests ? [{ name: 'unbound', settings: [python().replace(key, unbound(keyFile))] }] : []),
          ...(longTests ? [{ name: 'brief', settings: [of(python(', release=1'))] }] : []),
          ...(longTests ? [{ name: 'plain', settings: [of(`action = proxy-manager[key="${key}", pm="${pm}"]`)] }] : []),
        ];
      });
      // As rsyslog does.
      syslog.onMessage = (message) =>
        appendFileSync(fail2ban.logOf('requests'), `${message.replace(/^(\w+ +\d+ [\d:]+) /, '$1 web1 ')}\n`);
    });
    afterAll(async () => {
      await fail2ban?.remove();
      syslog?.close();
      between?.close();
      await service?.stop();
    });

    it('lifts its ban of an address that an operator blocked, and the block of the operator stays in force', async () => {
      const ip = '127.9.0.1';
      await service.block(ip);
      await fail2ban.command('set', 'shop', 'banip', ip);
      await eventually('fail2ban claims it', async () => (await claimsOf(ip)).includes('fail2ban:shop'));
      expect(await claimsOf(ip)).toEqual(['manual', 'fail2ban:shop']);
      await fail2ban.command('set', 'shop', 'unbanip', ip);
      await isLogged(`${ip} is still blocked by manual`);
      expect(await claimsOf(ip)).toEqual(['manual']);
      expect(await service.visit(ip)).toBe(403);
      await service.unblock(ip);
      await served(ip);
    });

    it('bans after failed logins, until the ban ends', async () => {
      const ip = '127.9.0.2';
      expect(await service.visit(ip)).not.toBe(403);
      fail2ban.failLogins('shop', ip);
      await denied(ip);
      expect(Date.parse((await rowOf(ip)).expires_at!)).toBeLessThanOrEqual(Date.now() + 3_601_000);
      expect(await rowOf(ip)).toMatchObject({ reason: 'fail2ban shop, 3 failures' });
      await fail2ban.command('set', 'shop', 'unbanip', ip);
      await served(ip);
    });

    it('keeps its bans over a restart, in which no banned address is served, and one that an operator lifted stays lifted', async () => {
      const ips = Array.from({ length: 20 }, (_, n) => `127.9.1.${n}`);
      const lifted = '127.9.2.2';
      await fail2ban.command('set', 'shop', 'banip', lifted, ...ips);
      for (const ip of [lifted, ...ips]) await denied(ip);
      await idle();
      await service.unblock(lifted);
      const statuses = new Set<number>();
      let ends = false;
      const visits = (async () => {
        for (let n = 0; !ends; n++) {
          statuses.add(await service.visit(ips[n % ips.length]!));
          await pause(longTests ? 5 : 25);
        }
      })();
      await fail2ban.stop();
      await fail2ban.start();
      for (const ip of [lifted, ...ips]) await restored(ip);
      await idle();
      ends = true;
      await visits;
      expect([...statuses]).toEqual([403]);
      expect(await service.visit(lifted)).not.toBe(403);
      const { body } = await service.call('GET', '/api/sources/fail2ban:shop');
      expect(body).toMatchObject({ claims: ips.length, release_at: null });
      // Restored bans can be lifted one by one, and all at once.
      await fail2ban.command('set', 'shop', 'unbanip', ips[0]!);
      await served(ips[0]!);
      await fail2ban.command('unban', '--all');
      for (const ip of ips) await served(ip);
      await ban(ips[0]!);
      await idle();
      expect(await service.visit(ips[0]!)).toBe(403);
      await fail2ban.command('unban', '--all');
      await served(ips[0]!);
      await idle();
    });

    it('keeps its bans over a reload', async () => {
      const ip = '127.9.2.1';
      await ban(ip);
      await idle();
      expect((await fail2ban.client('reload')).status).toBe(0);
      expect(await service.visit(ip)).toBe(403);
      await ban('127.9.2.3');
      await fail2ban.command('set', 'shop', 'unbanip', ip, '127.9.2.3');
      await served(ip);
    });

    it('bans permanently, and longer than before', async () => {
      const ip = '127.9.3.1';
      await ban(ip, 'long');
      expect(await rowOf(ip)).toMatchObject({ expires_at: null });
      await fail2ban.command('set', 'long', 'unbanip', ip);
      await served(ip);
    });

    it('blocks the /64 of an IPv6 address until no address in it is banned', async () => {
      const network = '2001:db8:1:2::/64';
      const [one, two] = ['2001:db8:1:2::1', '2001:db8:1:2:3::2'] as const;
      await fail2ban.command('set', 'wide', 'banip', one, two);
      await eventually('the network is blocked', async () => (await claimsOf(network)).length > 0);
      await fail2ban.command('set', 'wide', 'unbanip', one);
      await idle('wide');
      expect(await claimsOf(network)).toEqual(['fail2ban:wide']);
      await fail2ban.command('set', 'wide', 'unbanip', two);
      await eventually('the network is free', async () => (await claimsOf(network)).length === 0);
    });

    it('sends what it banned and lifted while the service was down', async () => {
      const [stays, goes, later] = ['127.9.4.1', '127.9.4.2', '127.9.4.3'] as const;
      await ban(stays);
      await ban(goes);
      await idle();
      service.kill('SIGTERM');
      await service.ended();
      await fail2ban.command('set', 'shop', 'banip', later);
      await fail2ban.command('set', 'shop', 'unbanip', goes);
      await isLogged('trying again every 1 s');
      expect(existsSync(`${fail2ban.keyFile}.shop.unsent`)).toBe(true);
      await service.launch();
      await denied(later);
      await served(goes);
      expect(await service.visit(stays)).toBe(403);
      await idle();
    });

    itInLongTests('sends all bans again if it was killed before they were sent', async () => {
      const ip = '127.9.5.1';
      // The service knows the source, and has its earlier bans.
      await ban('127.9.5.2');
      await idle();
      service.kill('SIGTERM');
      await service.ended();
      await fail2ban.command('set', 'shop', 'banip', ip);
      await eventually('fail2ban has written the ban', () => fail2ban.keeps('shop', ip));
      await fail2ban.kill();
      await service.launch();
      await fail2ban.start();
      await denied(ip);
      await fail2ban.command('set', 'shop', 'unbanip', ip);
      await served(ip);
    });

    it('lifts at its next start what was lifted while the service was down, and bans what was banned', async () => {
      const [lifted, again, stays] = ['127.9.10.1', '127.9.10.2', '127.9.10.3'] as const;
      for (const ip of [lifted, again, stays]) await ban(ip, 'long');
      await ban('127.9.10.4');
      await idle('long');
      await idle();
      service.kill('SIGTERM');
      await service.ended();
      await fail2ban.command('set', 'long', 'unbanip', lifted, again);
      await fail2ban.command('set', 'long', 'banip', again);
      await fail2ban.command('set', 'shop', 'unbanip', '127.9.10.4');
      expect(statSync(`${fail2ban.keyFile}.long.unsent`).mode & 0o777).toBe(0o600);
      // One that is killed sends nothing either.
      await fail2ban.stop();
      await service.launch();
      expect(await claimsOf(lifted)).toEqual(['fail2ban:long']);
      await fail2ban.start();
      await served(lifted);
      await served('127.9.10.4');
      await idle('long');
      expect(await service.visit(again)).toBe(403);
      expect(await service.visit(stays)).toBe(403);
      await fail2ban.command('unban', '--all');
      await served(stays);
    });

    itInLongTests('does the same if it was killed while the service was down', async () => {
      const [again, stays, lifted] = ['127.9.10.2', '127.9.10.3', '127.9.10.1'] as const;
      for (const ip of [again, stays]) await ban(ip, 'long');
      await idle('long');
      service.kill('SIGTERM');
      await service.ended();
      await fail2ban.command('set', 'long', 'unbanip', stays);
      await fail2ban.command('unban', '--all');
      await fail2ban.command('set', 'long', 'banip', lifted);
      await eventually('fail2ban has written the ban', () => fail2ban.keeps('long', lifted));
      await fail2ban.kill();
      expect(statSync(`${fail2ban.keyFile}.long.unsent`).mode & 0o777).toBe(0o600);
      await service.launch();
      await fail2ban.start();
      await served(again);
      await served(stays);
      await denied(lifted);
      await idle('long');
      await fail2ban.command('unban', '--all');
      await served(lifted);
    });

    itInLongTests('sends all bans again if the answer that they were dropped is lost', async () => {
      const ip = '127.9.11.1';
      await ban(ip, 'lost');
      await idle('lost');
      await fail2ban.stop();
      await served(ip);
      between.losesNext = '/keep';
      // Even if the service does not say it again.
      between.afterwards = { name: 'fail2ban:lost', claims: 0, kept: true };
      await fail2ban.start();
      await denied(ip);
      await fail2ban.command('set', 'lost', 'unbanip', ip);
      await served(ip);
    });

    it('bans by the access log of HAProxy whom it names, and not for what is denied already', async () => {
      const [failing, named, blocked, last] = ['127.9.13.1', '127.9.13.2', '127.9.13.3', '127.9.13.4'] as const;
      const send = (from: string, text: string) =>
        new Promise<void>((resolve) => {
          const socket = connect({ host: '127.0.0.1', port: service.proxyPort, localAddress: from }, () => {
            socket.end(text);
          });
          socket.resume().once('close', () => resolve());
        });
      await service.block(blocked);
      const imitated = `" client=${named} peer=${named} status=401 term=-- `;
      for (let n = 0; n < 4; n++) {
        await service.visit(blocked);
        await send(failing, `GET /${imitated} HTTP/1.1\r\nHost: ${imitated}\r\n\r\n`);
      }
      await denied(failing);
      expect(await rowOf(failing)).toMatchObject({ reason: 'fail2ban requests, 3 failures' });
      const log = fail2ban.logOf('requests');
      const [head] = /^.*?haproxy\[\d+\]: /.exec(readFileSync(log, 'utf8')) ?? [];
      appendFileSync(log, `${head}client=${last} peer=${last} status=200 term=-- request="${imitated}"\n`.repeat(3));
      // fail2ban has read all lines before those of the last one.
      for (let n = 0; n < 3; n++) await send(last, 'no request\r\n\r\n');
      await denied(last);
      expect(await claimsOf(named)).toEqual([]);
      expect(await claimsOf(blocked)).toEqual(['manual']);
      await fail2ban.command('unban', '--all');
      await service.unblock(blocked);
      await served(failing);
    });

    itInLongTests('keeps the source of its bans at a reload', async () => {
      const ip = '127.9.12.1';
      await ban(ip);
      fail2ban.edit((jails) => jails.replace('restoring=1]', 'restoring=1, source="fail2ban:new"]'));
      expect((await fail2ban.client('reload')).status).toBe(0);
      await isLogged('counts after a restart of fail2ban');
      await fail2ban.command('set', 'shop', 'unbanip', ip);
      await served(ip);
      fail2ban.edit((jails) => jails.replace(', source="fail2ban:new"]', ']'));
      expect((await fail2ban.client('reload')).status).toBe(0);
    });

    if (!longTests) return;

    it('bans longer what it banned before (bantime.increment)', async () => {
      const ip = '127.9.8.1';
      const end = async () => Date.parse((await rowOf(ip)).expires_at ?? '') - Date.now();
      fail2ban.failLogins('growing', ip);
      await denied(ip);
      expect(await end()).toBeLessThan(60_000);
      // fail2ban forgets a ban that was lifted by hand, so this one must end.
      await isLogged(`[growing] Unban ${ip}`);
      await served(ip);
      fail2ban.failLogins('growing', ip);
      await denied(ip);
      // fail2ban prolongs a ban up to ten seconds after its begin.
      await eventually('the ban is prolonged', async () => (await end()) > 3_600_000);
      await fail2ban.command('set', 'growing', 'unbanip', ip);
      await served(ip);
    });

    it('sends all bans again if their release was due before it was back', async () => {
      const ip = '127.9.6.1';
      await ban(ip, 'brief');
      await idle('brief');
      await fail2ban.stop();
      await served(ip);
      await fail2ban.start();
      await denied(ip);
      await fail2ban.command('set', 'brief', 'unbanip', ip);
      await served(ip);
    });

    it('bans with a key that is not bound to a source, and says what the key lacks', async () => {
      const ip = '127.9.9.1';
      await ban(ip, 'unbound');
      expect(await claimsOf(ip)).toEqual(['fail2ban:unbound']);
      await isLogged('with a key that is not bound to a source, needs the scope admin');
      await fail2ban.command('set', 'unbound', 'unbanip', ip);
      await served(ip);
      // Its claims are dropped one by one, and later bans are not held up.
      await ban(ip, 'unbound');
      await fail2ban.command('unban', '--all');
      await served(ip);
      await ban(ip, 'unbound');
    });

    it('restarts with 10,000 bans, and no banned address is served', async () => {
      const ips = Array.from({ length: 10_000 }, (_, n) => `127.20.${n >> 8}.${n & 255}`);
      await fail2ban.command('set', 'shop', 'banip', ...ips);
      const claims = async () => (await service.call('GET', '/api/sources/fail2ban:shop')).body['claims'] as number;
      await eventually('all are blocked', async () => (await claims()) >= ips.length);
      await idle();
      const visited = ips.filter((_, n) => n % 200 === 0);
      const statuses = new Map<number, number>();
      // At a fixed pace, whatever is answered.
      const visits: Promise<void>[] = [];
      let next = 0;
      const timer = setInterval(() => {
        const visit = service.visit(visited[next++ % visited.length]!);
        visits.push(visit.then((status) => void statuses.set(status, (statuses.get(status) ?? 0) + 1)));
      }, 10);
      const began = performance.now();
      await fail2ban.stop();
      const stopped = performance.now();
      const before = fail2ban.log.length;
      await fail2ban.start();
      const restoredBans = () => fail2ban.log.slice(before).split('Restore Ban 127.20.').length - 1;
      await eventually('all are restored', () => restoredBans() >= ips.length, 600_000);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      await idle();
      clearInterval(timer);
      await Promise.all(visits);
      const stop = ((stopped - began) / 1_000).toFixed(1);
      console.info(`restart with ${ips.length} bans: ${seconds} s, ${stop} of them for the stop; visits:`, statuses);
      expect([...statuses.keys()]).toEqual([403]);
      expect(await claims()).toBeGreaterThanOrEqual(ips.length);
      const lifting = performance.now();
      await fail2ban.command('unban', '--all');
      for (const ip of visited) await served(ip);
      console.info(`unban --all: ${((performance.now() - lifting) / 1_000).toFixed(1)} s`);
    });

    it('bans by the shell action', async () => {
      const ip = '127.9.7.1';
      const before = fail2ban.log.length;
      await ban(ip, 'plain');
      expect(await claimsOf(ip)).toEqual(['fail2ban:plain']);
      await fail2ban.stop();
      expect(await service.visit(ip)).toBe(403);
      await fail2ban.start();
      // fail2ban would unban it while the program that bans it again is still running.
      const blocks = async () =>
        (await service.call('GET', `/api/audit?operation=block&ip_address=${ip}`)).body['items'].length as number;
      await eventually('it is banned again', async () => (await blocks()) === 2);
      const released = async () => (await service.call('GET', '/api/sources/fail2ban:plain')).body['release_at'];
      await eventually('the release is taken back', async () => (await released()) === null);
      expect(await service.visit(ip)).toBe(403);
      await fail2ban.command('set', 'plain', 'unbanip', ip);
      await served(ip);
      // The failures of programs, not of the other action.
      expect(fail2ban.log.slice(before)).not.toMatch(/fail2ban\.utils .*ERROR/);
    });
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DnsServer } from '../../testkit/dns-server.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { dnsValue } from '../acme/jws.ts';
import type { OrderChallenge } from '../store/acme-orders-store.ts';
import { DnsChallenges } from './dns-challenges.ts';
import type { HookCall } from './dns-hook.ts';
import { AuthoritativeNameServers, GivenNameServers, lookUpTxt } from './txt-lookup.ts';

const record = '_acme-challenge.shop.example';
const challengeOf = (name: string, token = 'T1'): OrderChallenge => ({
  ...{ type: 'dns-01', name, token, keyAuthorization: `${token}.thumbprint` },
  authorizationUrl: 'https://ca.example/authorization/1',
  challengeUrl: 'https://ca.example/challenge/1',
});

let server: DnsServer;
beforeEach(async () => {
  server = await DnsServer.start();
});
afterEach(() => server.stop());

describe('the lookup of a TXT record', () => {
  const servers = () => new AuthoritativeNameServers({ servers: [`127.0.0.1:${server.port}`], port: server.port });
  const zone = () => {
    server.records.set('NS shop.example', ['ns.shop.example']);
    server.records.set('A ns.shop.example', ['127.0.0.1']);
  };

  it('asks the servers of the zone', async () => {
    zone();
    expect(await lookUpTxt(record, 'v', servers())).toEqual({ answered: 1, lacking: `127.0.0.1:${server.port}` });
    server.records.set(`TXT ${record}`, ['other', 'v']);
    expect(await lookUpTxt(record, 'v', servers())).toEqual({ answered: 1, lacking: null });
  });

  it('follows a CNAME to another zone', async () => {
    server.records.set(`CNAME ${record}`, ['x.challenges.example']);
    server.records.set('NS challenges.example', ['ns.challenges.example']);
    server.records.set('A ns.challenges.example', ['127.0.0.1']);
    server.records.set('TXT x.challenges.example', ['v']);
    expect(await lookUpTxt(record, 'v', servers())).toEqual({ answered: 1, lacking: null });
  });

  it('counts no server that cannot be found', async () => {
    expect(await lookUpTxt(record, 'v', servers())).toEqual({ answered: 0, lacking: null });
  });
});

describe('challenges by dns-01', () => {
  let kit: IssuanceKit;
  let calls: HookCall[];
  let fails: (call: HookCall) => boolean;
  let logged: string[];
  let dns: DnsChallenges;
  beforeEach(async () => {
    kit = await IssuanceKit.open();
    [calls, logged, fails] = [[], [], () => false];
    dns = dnsChallenges();
  });
  afterEach(() => kit.remove());
  const dnsChallenges = () =>
    new DnsChallenges({
      hook: {
        path: '/bin/sh',
        run: async (call) => {
          calls.push(call);
          if (fails(call)) throw new Error(`the hook ${call.verb} failed`);
          const key = `TXT _acme-challenge.${call.domain}` as const;
          const others = (server.records.get(key) ?? []).filter((value) => value !== call.value);
          server.records.set(key, call.verb === 'deploy_challenge' ? [...others, call.value] : others);
        },
      },
      nameServers: new GivenNameServers([`127.0.0.1:${server.port}`]),
      orders: kit.orders,
      log: { warn: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`) },
      now: () => new Date(kit.now),
      limits: { seenWithinMs: 300, unreachableMs: 100, pollMs: 20 },
    });

  it('are shown when the name servers have them, those of a wildcard beside those of its domain', async () => {
    await dns.show([challengeOf('shop.example', 'T1'), challengeOf('*.shop.example', 'T2')]);
    expect(calls.map(({ verb, domain, token }) => [verb, domain, token])).toEqual([
      ['deploy_challenge', 'shop.example', 'T1'],
      ['deploy_challenge', 'shop.example', 'T2'],
    ]);
    expect(server.records.get(`TXT ${record}`)).toEqual(['T1.thumbprint', 'T2.thumbprint'].map(dnsValue));
  });

  it('are not shown if the hook fails, unless the record is there already', async () => {
    fails = () => true;
    await expect(dns.show([challengeOf('shop.example')])).rejects.toThrow('the hook deploy_challenge failed');
    server.records.set(`TXT ${record}`, [dnsValue('T1.thumbprint')]);
    expect(await dns.show([challengeOf('shop.example')])).toBeNull();
  });

  it('are not shown if a name server does not get them in time; one that is out of reach is no failure', async () => {
    server.records.set('TXT _acme-challenge.other.example', []);
    const lost = { ...challengeOf('shop.example'), keyAuthorization: 'T1.x' };
    const hookless = new DnsChallenges({
      hook: { path: '/bin/sh', run: async () => undefined },
      nameServers: new GivenNameServers([`127.0.0.1:${server.port}`]),
      ...{ orders: kit.orders, log: { warn: () => undefined }, now: () => new Date() },
      limits: { seenWithinMs: 100, unreachableMs: 50, pollMs: 10 },
    });
    await expect(hookless.show([lost])).rejects.toThrow(
      /127\.0\.0\.1:\d+ does not have the TXT record of _acme-challenge\.shop\.example/,
    );
    server.silent = true;
    expect(await hookless.show([lost])).toBe(`no name server of ${record} could be asked from here`);
  });

  it('are removed after the order, and after a crash', async () => {
    const id = await order();
    await dns.clear();
    await dns.cleared();
    expect(calls).toEqual([]);
    await kit.issuance.forget(id, caller);
    const again = dnsChallenges();
    fails = () => true;
    await again.clear();
    await again.cleared();
    expect(logged.join()).toContain('TXT records of challenges not removed; retrying later');
    expect(logged.join()).toContain(record);
    fails = () => false;
    await again.clear();
    await again.cleared();
    expect(calls.map(({ verb }) => verb)).toEqual(['clean_challenge']);
    kit.now += 3_600_001;
    await again.clear();
    await again.cleared();
    expect(calls.map(({ verb, token }) => [verb, token])).toEqual([
      ['clean_challenge', 'T1'],
      ['clean_challenge', 'T1'],
    ]);
    expect(await kit.orders.withRecords()).toEqual([]);
  });

  it('that could not be removed are removed an hour later, without a change', async () => {
    const removed = () => calls.filter(({ verb }) => verb === 'clean_challenge').length;
    kit.dnsPresenter = () => dns;
    kit.restart();
    const id = await order();
    fails = ({ verb }) => verb === 'clean_challenge';
    await kit.issuance.forget(id, caller);
    await dns.cleared();
    expect(dns.retryAt).toEqual(new Date(kit.now + 3_600_000));
    kit.now += 3_599_000;
    await looked();
    expect(removed()).toBe(1);
    kit.now += 2_000;
    await looked();
    expect(removed()).toBe(2);
    fails = () => false;
    kit.now += 3_600_000;
    await looked();
    expect([removed(), await kit.orders.withRecords(), dns.retryAt]).toEqual([3, [], null]);
  });

  it('are removed an hour later if the database could not be read', async () => {
    const id = await order();
    kit.dnsPresenter = () => dns;
    kit.restart();
    await kit.wanted.remove(id, new Date(kit.now));
    const read = kit.orders.withRecords.bind(kit.orders);
    kit.orders.withRecords = () => Promise.reject(new Error('the database is locked'));
    dns = dnsChallenges();
    await dns.clear();
    await dns.cleared();
    expect(logged.join()).toContain('the database is locked');
    kit.orders.withRecords = read;
    kit.restart();
    kit.now += 3_600_001;
    await looked();
    expect([calls.length, await kit.orders.withRecords(), dns.retryAt]).toEqual([1, [], null]);
  });

  it('that could not be removed while the clock was ahead are removed with the next look', async () => {
    const id = await order();
    kit.dnsPresenter = () => dns;
    kit.restart();
    kit.now += 30 * 86_400_000;
    fails = () => true;
    await kit.issuance.forget(id, caller);
    await dns.cleared();
    fails = () => false;
    kit.now -= 30 * 86_400_000;
    await looked();
    expect(await kit.orders.withRecords()).toEqual([]);
  });

  async function looked(): Promise<void> {
    await kit.issuance.tick();
    await dns.cleared();
  }

  it('are given up when they could not be removed for a week', async () => {
    const id = await order();
    await kit.issuance.forget(id, caller);
    kit.now += 8 * 86_400_000;
    fails = () => true;
    await dns.clear();
    await dns.cleared();
    expect(logged.join()).toContain('not removed; remove them');
    expect(await kit.orders.withRecords()).toEqual([]);
  });

  it('are not what HAProxy answers', async () => {
    await order();
    expect(await kit.orders.challenges()).toEqual(new Map());
  });

  /** Open, with its records shown. */
  async function order(): Promise<string> {
    const wanted = await kit.issuance.request(['*.shop.example'], { challenge: 'dns-01' }, caller);
    if ('ordered' in wanted) throw new Error('ordered already');
    const { certificate } = wanted;
    const { directory } = certificate;
    const plan = { directory, profile: null, replaces: null, issues: [], failedValidations: { most: 3, withinMs: 1 } };
    const planned = await kit.wanted.plan(certificate, plan, new Date(kit.now));
    if (planned?.ok !== true) throw new Error('not planned');
    const step = { state: 'showing' as const, challenges: [challengeOf('*.shop.example')] };
    await kit.orders.step(planned.order.id, step, new Date(kit.now));
    return certificate.id;
  }
});

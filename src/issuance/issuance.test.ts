import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemOf, refusal, unreachable } from '../../testkit/issuance/fake-authority.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { longTests } from '../../testkit/proxies.ts';
import { AuditStore } from '../store/audit-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let kit: IssuanceKit;
beforeEach(async () => {
  kit = await IssuanceKit.open();
});
afterEach(() => kit.remove());

/** `first`: that many requests of this operation fail. */
function failing(operation: string, error: () => Error, first = 1): void {
  let left = first;
  kit.authority.before = (asked) => {
    if (asked !== operation || left === 0) return;
    left -= 1;
    throw error();
  };
}

const problemOfCertificate = async (id: string) => (await kit.wanted.get(id))!.problem;

describe('a requested certificate', () => {
  it('is ordered, validated, stored and installed, and its challenge is removed', async () => {
    const shown: number[] = [];
    kit.authority.after = () => void shown.push(kit.authority.shown.size);
    const id = await kit.request('shop.example', 'www.shop.example');
    await kit.untilIdle();
    expect(kit.authority.requests.filter((one) => one === 'createOrder')).toHaveLength(1);
    expect(Math.max(...shown)).toBe(2);
    expect(kit.authority.shown.size).toBe(0);
    const certificate = await kit.certificates.get(id);
    expect(certificate).toMatchObject({ source: 'acme', version: 1, names: ['shop.example', 'www.shop.example'] });
    expect([...kit.installer.holds.keys()]).toEqual([id]);
    expect(await kit.issuance.attempts(id, 10)).toMatchObject([{ state: 'stored', key: null, challenges: [] }]);
    expect(kit.ended).toEqual(['shop.example,www.shop.example: issued']);
    const audit = (await new AuditStore(kit.database).page({ limit: 10 })).items;
    expect(audit.map(({ operation, key }) => [operation, key])).toEqual([
      ['set_certificate', null],
      ['request_certificate', 'ops'],
    ]);
  });

  it('is refused for names that have one', async () => {
    await kit.request('a.example', 'b.example');
    expect(await kit.issuance.request(['b.example', 'a.example'], {}, caller)).toMatchObject({ added: false });
  });

  it('is renewed at two thirds of its lifetime with a new key, and a short-lived one at half', async () => {
    const id = await kit.request('a.example');
    await kit.untilIdle();
    const first = await kit.certificates.get(id);
    await kit.pass(57 * DAY);
    expect((await kit.certificates.get(id))!.version).toBe(1);
    await kit.pass(5 * DAY);
    const second = await kit.certificates.get(id);
    expect(second!.version).toBe(2);
    expect(second!.publicKeySha256).not.toBe(first!.publicKeySha256);
    kit.authority.lifetimeMs = 6 * DAY;
    await kit.issuance.renew(id, caller);
    const begun = kit.authority.issued.length;
    await kit.pass(30 * DAY);
    expect(kit.authority.issued.length - begun).toBeGreaterThanOrEqual(8);
    expect(kit.authority.issued.length - begun).toBeLessThanOrEqual(11);
  });

  it('that is removed while it is ordered is not stored, and its challenge is not shown any more', async () => {
    const id = await kit.request('a.example');
    await kit.settle();
    expect(kit.authority.shown.size).toBe(1);
    await kit.certificates.remove(id, caller);
    // There is no version yet.
    expect(await kit.wanted.get(id)).not.toBeNull();
  });

  it('that is removed is not renewed', async () => {
    const id = await kit.request('a.example');
    await kit.untilIdle();
    await kit.issuance.renew(id, caller);
    await kit.settle();
    expect(await kit.orders.allOpen()).toHaveLength(1);
    await kit.certificates.remove(id, caller);
    await kit.pass(100 * DAY);
    expect(kit.authority.issued).toHaveLength(1);
    expect([await kit.wanted.get(id), await kit.certificates.get(id)]).toEqual([null, null]);
  });
});

describe('an order that is interrupted', () => {
  it('while it is finalized keeps its key', async () => {
    const id = await kit.request('a.example');
    failing('finalize', unreachable);
    while ((await kit.orders.allOpen())[0]?.state !== 'finalizing') kit.now = (await kit.settle())!;
    const before = (await kit.orders.allOpen())[0]!.key!.publicKeySha256;
    kit.restart();
    await kit.untilIdle();
    expect((await kit.certificates.get(id))!.publicKeySha256).toBe(before);
  });
});

describe('a failed order', () => {
  it('keeps the words of the authority, and is repeated later and later', async () => {
    kit.authority.validation = () => problemOf('connection', '192.0.2.1: Connection refused');
    const id = await kit.request('a.example');
    await kit.pass(DAY);
    expect(await problemOfCertificate(id)).toMatchObject({
      class: 'will retry',
      type: 'connection',
      detail: '192.0.2.1: Connection refused',
      advice: expect.stringContaining('port 80'),
    });
    const at = kit.authority.failedAt('a.example').map((one) => (one - kit.authority.failedAt('a.example')[0]!) / HOUR);
    expect(at.length).toBeGreaterThanOrEqual(6);
    expect(at.length).toBeLessThanOrEqual(8);
    expect(kit.authority.shown.size).toBe(0);
    kit.authority.validation = () => null;
    await kit.pass(2 * DAY);
    expect(await problemOfCertificate(id)).toBeNull();
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
  });

  it('that needs attention is repeated each day, and keeps its label', async () => {
    kit.authority.validation = () => problemOf('caa', 'CAA record for a.example prevents issuance');
    const id = await kit.request('a.example');
    await kit.pass((longTests ? 30 : 10) * DAY, async () => {
      const problem = await problemOfCertificate(id);
      if (problem !== null) expect(problem).toMatchObject({ class: 'needs attention', type: 'caa' });
    });
    expect(kit.authority.newOrders).toBeGreaterThan(longTests ? 25 : 8);
    expect(kit.authority.newOrders).toBeLessThan(longTests ? 38 : 14);
    kit.authority.validation = () => null;
    await kit.pass(2 * DAY);
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
  });

  it('that needs attention is repeated at once after a restart with other settings', async () => {
    kit.authority.before = (asked) => {
      if (asked === 'createOrder') throw refusal({ type: 'invalidProfile', status: 400 });
    };
    const id = await kit.request('a.example');
    await kit.settle();
    expect(await problemOfCertificate(id)).toMatchObject({ class: 'needs attention' });
    kit.restart();
    await kit.pass(HOUR);
    expect(kit.authority.requests.filter((one) => one === 'createOrder')).toHaveLength(1);
    kit.authority.before = () => undefined;
    kit.settings = { profile: 'default' };
    kit.restart();
    await kit.untilIdle();
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
  });

  it('names each name whose validation failed', async () => {
    kit.authority.validation = (name) => (name === 'good.example' ? null : problemOf('dns', `NXDOMAIN ${name}`));
    const id = await kit.request('good.example', 'x.example', 'y.example');
    await kit.pass(MINUTE);
    expect((await problemOfCertificate(id))!.subproblems).toEqual([
      { name: 'x.example', type: 'dns', detail: 'NXDOMAIN x.example' },
      { name: 'y.example', type: 'dns', detail: 'NXDOMAIN y.example' },
    ]);
  });

  it('whose challenge HAProxy does not show asks nothing of the authority, and ends after two minutes', async () => {
    kit.showing = () => {
      throw new Error('worker 812 did not answer');
    };
    const id = await kit.request('a.example');
    await kit.pass(MINUTE);
    expect(await problemOfCertificate(id)).toMatchObject({ type: 'challenge', detail: expect.stringContaining('812') });
    expect(await kit.orders.allOpen()).toHaveLength(1);
    await kit.pass(2 * MINUTE);
    expect(await kit.orders.allOpen()).toEqual([]);
    expect(kit.authority.requests).toEqual([]);
    expect((await kit.issuance.attempts(id, 9)).at(-1)).toMatchObject({ state: 'failed' });
    // It is repeated each hour, also after days.
    await kit.pass(longTests ? 3 * DAY : DAY);
    kit.showing = () => undefined;
    await kit.pass(80 * MINUTE);
    expect(await kit.certificates.get(id)).not.toBeNull();
  });

  it('because the predecessor was replaced already is repeated once without it', async () => {
    kit.authority.window = (notBefore, notAfter) => ({ start: notBefore, end: notAfter });
    kit.authority.pollMs = DAY;
    await kit.request('a.example');
    await kit.untilIdle();
    let refused = 0;
    const { authority } = kit;
    const connect = authority.connect.bind(authority);
    authority.connect = (directory, key) => {
      const client = connect(directory, key);
      return {
        ...client,
        createOrder: async (request) => {
          if (request.replaces === null) return await client.createOrder(request);
          refused += 1;
          throw refusal({ type: 'alreadyReplaced', detail: 'cannot indicate an order as replacing', status: 409 });
        },
      };
    };
    kit.restart();
    await kit.pass(90 * DAY);
    expect(refused).toBeGreaterThanOrEqual(1);
    expect(kit.authority.issued.length).toBe(1 + refused);
  });

  it('with a certificate that HAProxy refuses needs attention', async () => {
    kit.refusedByProxy = 'ee key too small';
    const id = await kit.request('a.example');
    await kit.pass(HOUR);
    expect(await problemOfCertificate(id)).toMatchObject({ class: 'needs attention' });
    expect(kit.authority.issued).toHaveLength(1);
  });
});

describe('an authority', () => {
  it('that limits is not asked for an order before Retry-After, across restarts', async () => {
    const until = new Date(kit.now + 5 * HOUR);
    failing('createOrder', () => refusal({ type: 'rateLimited', detail: 'too many new orders', status: 429 }, until));
    const ids = [await kit.request('a.example'), await kit.request('b.example')];
    await kit.settle();
    kit.restart();
    await kit.pass(4 * HOUR);
    expect(kit.authority.newOrders).toBeLessThanOrEqual(1);
    expect(await kit.issuance.pauses()).toMatchObject([{ scope: 'orders', until, problem: { class: 'limited' } }]);
    await kit.pass(2 * HOUR);
    for (const id of ids) expect(await kit.certificates.get(id)).not.toBeNull();
    expect(await kit.issuance.pauses()).toEqual([]);
  });

  it('that cannot be reached is retried after 1 to 30 minutes, and no failure is counted', async () => {
    const asked: number[] = [];
    kit.authority.before = (operation) => {
      if (operation === 'register') asked.push(kit.now);
      throw unreachable();
    };
    const id = await kit.request('a.example');
    await kit.pass(3 * HOUR);
    const pauses = asked.slice(1).map((at, index) => Math.round((at - asked[index]!) / MINUTE));
    expect(pauses.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 30, 30]);
    expect(await kit.wanted.get(id)).toMatchObject({ failures: 0, problem: { type: 'unreachable' } });
    kit.authority.before = () => undefined;
    await kit.pass(HOUR);
    expect(await kit.certificates.get(id)).not.toBeNull();
    expect(await kit.accounts.pauses()).toEqual([]);
  });

  it('that lost its accounts gets the same account again', async () => {
    const id = await kit.request('a.example');
    await kit.untilIdle();
    kit.authority.forgetAll();
    await kit.issuance.renew(id, caller);
    await kit.untilIdle();
    expect(kit.authority.newAccounts).toBe(2);
    expect(await kit.certificates.get(id)).toMatchObject({ version: 2 });
  });

  it('gets one account in many starts', async () => {
    await kit.request('a.example');
    for (let starts = 0; starts < 20; starts += 1) {
      kit.restart();
      await kit.settle();
    }
    expect(kit.authority.newAccounts).toBe(1);
  });
});

// A clock that is ahead for a moment, and requests of renewal windows.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failedReply, problemOf, refusal, unreachable } from '../../testkit/issuance/fake-authority.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { AcmeTimesStore } from '../store/acme-times-store.ts';
import { ownProblem } from './problems.ts';
import { FURTHEST_MS, LEAST_LEFT } from './schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let kit: IssuanceKit;
beforeEach(async () => {
  kit = await IssuanceKit.open();
});
afterEach(() => kit.remove());

const versionOf = async (id: string) => (await kit.certificates.get(id))?.version ?? 0;

describe('a clock that is ahead for a moment delays no order', () => {
  it.each([false, true])('after a limit of the authority (restart: %s)', async (restart) => {
    kit.skew = 400 * DAY;
    kit.authority.before = (asked) => {
      if (asked !== 'createOrder') return;
      throw refusal({ type: 'rateLimited', status: 429 }, new Date(kit.now + kit.skew + HOUR));
    };
    const id = await kit.request('a.example');
    await kit.settle();
    kit.authority.before = () => undefined;
    kit.skew = 0;
    if (restart) kit.restart();
    await kit.pass(MINUTE);
    expect(await versionOf(id)).toBe(1);
  });

  it('after a failed order, and one that was requested', async () => {
    kit.skew = 400 * DAY;
    kit.authority.validation = () => problemOf('dns', 'NXDOMAIN');
    const ids = [await kit.request('a.example')];
    await kit.pass(MINUTE);
    expect(await kit.wanted.get(ids[0]!)).toMatchObject({ dueBy: 'retry' });
    kit.authority.validation = () => null;
    ids.push(await kit.request('b.example'));
    kit.skew = 0;
    await kit.pass(MINUTE);
    for (const id of ids) expect(await versionOf(id)).toBe(1);
  });

  it('by more than the limits allow', async () => {
    kit.skew = 80 * DAY;
    const id = await kit.request('a.example');
    await kit.untilIdle();
    await kit.issuance.renew(id, caller);
    await kit.untilIdle();
    await kit.issuance.renew(id, caller);
    await kit.settle();
    kit.skew = 0;
    await kit.settle();
    expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'limit', dueAt: new Date(kit.now + DAY) });
    await kit.pass(DAY + MINUTE);
    expect(await versionOf(id)).toBe(3);
  });

  it('by its age: a tenth of the lifetime is left', async () => {
    kit.skew = 85 * DAY;
    const id = await kit.request('a.example');
    await kit.untilIdle();
    const { dueAt, life } = (await kit.wanted.get(id))!;
    expect(life!.notAfter.getTime() - dueAt!.getTime()).toBeLessThan(7 * DAY);
    kit.skew = 0;
    await kit.settle();
    const left = life!.notAfter.getTime() - (await kit.wanted.get(id))!.dueAt!.getTime();
    expect(left / DAY).toBeCloseTo(9, 1);
  });

  it('by a window that is not asked for', async () => {
    kit.authority.window = (_notBefore, notAfter) => ({ start: new Date(notAfter.getTime() - DAY), end: notAfter });
    kit.skew = 20 * DAY;
    await kit.request('a.example');
    await kit.untilIdle();
    kit.skew = 0;
    kit.authority.requests.length = 0;
    await kit.pass(DAY);
    expect(kit.authority.requests).toContain('renewalInfo');
  });
});

describe('a renewal is due by the clock of the authority', () => {
  beforeEach(() => {
    kit.knowsTime = true;
  });

  it('while that of this machine is ahead: nothing is renewed early, and requests are', async () => {
    const ids = [await kit.request('a.example'), await kit.request('b.example')];
    await kit.untilIdle();
    kit.skew = 70 * DAY;
    await kit.pass(10 * DAY);
    expect(kit.authority.issued).toHaveLength(2);
    await kit.issuance.renew(ids[0]!, caller);
    await kit.pass(HOUR);
    expect(kit.authority.issued).toHaveLength(3);
    await kit.pass(52 * DAY);
    expect(await versionOf(ids[1]!)).toBe(2);
  });

  it('while that of this machine is behind: nothing expires', async () => {
    const id = await kit.request('a.example');
    await kit.untilIdle();
    kit.skew = -40 * DAY;
    await kit.pass(62 * DAY);
    // It is stored once the clock is correct.
    expect(kit.authority.issued).toHaveLength(2);
    kit.skew = 0;
    await kit.pass(HOUR);
    expect(await versionOf(id)).toBe(2);
  });
});

describe('a clock that was ahead by less than a pause may last', () => {
  beforeEach(() => {
    kit.skew = 3 * DAY;
  });

  it('does not lengthen a pause of a minute', async () => {
    kit.authority.before = () => {
      throw unreachable();
    };
    const id = await kit.request('a.example');
    await kit.settle();
    kit.authority.before = () => undefined;
    kit.skew = 0;
    await kit.pass(MINUTE);
    expect(await versionOf(id)).toBe(1);
  });

  it('does not lengthen a limit, which is stored by the right clock then', async () => {
    kit.authority.lifetimeMs = 10 * DAY;
    kit.authority.validation = () => problemOf('caa', 'a CAA record forbids it');
    const id = await kit.request('a.example');
    for (let orders = 0; orders < 4; orders += 1) {
      await kit.issuance.renew(id, caller);
      await kit.pass(MINUTE);
    }
    expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'limit', problem: { class: 'needs attention' } });
    kit.skew = 0;
    await kit.settle();
    await new AcmeTimesStore(kit.database).bringBack(FURTHEST_MS, LEAST_LEFT, new Date(kit.now));
    expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'limit', dueAt: new Date(kit.now + HOUR) });
  });

  it('does not lengthen the wait of an open order', async () => {
    let asked = 0;
    const connect = kit.authority.connect.bind(kit.authority);
    kit.authority.connect = (directory, key) => {
      const client = connect(directory, key);
      return {
        ...client,
        order: async (url) => {
          asked += 1;
          if (asked === 1) throw failedReply(new Date(kit.now + kit.skew + 10 * MINUTE));
          return await client.order(url);
        },
      };
    };
    kit.skew = 20 * HOUR;
    kit.restart();
    const id = await kit.request('a.example');
    await kit.settle();
    kit.skew = 0;
    await kit.pass(2 * MINUTE);
    expect(await versionOf(id)).toBe(1);
  });
});

describe('a renewal window', () => {
  beforeEach(() => {
    kit.authority.window = (_notBefore, notAfter) => ({ start: new Date(notAfter.getTime() - DAY), end: notAfter });
  });

  it('does not hold orders up while the authority does not answer', async () => {
    await kit.request('a.example');
    await kit.untilIdle();
    kit.now += 7 * HOUR;
    const { promise: ordered, resolve } = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    kit.authority.before = (operation) => {
      if (operation === 'createOrder') resolve();
    };
    const connect = kit.authority.connect.bind(kit.authority);
    kit.authority.connect = (directory, key) => {
      const client = connect(directory, key);
      return {
        ...client,
        renewalInfo: async (id) => {
          asked.resolve();
          await ordered;
          return await client.renewalInfo(id);
        },
      };
    };
    kit.restart();
    kit.issuance.start();
    await asked.promise;
    await kit.request('b.example');
    await ordered;
    await kit.issuance.stop();
  });

  it('that is limited pauses all requests, until Retry-After', async () => {
    await kit.request('a.example');
    kit.authority.before = (asked) => {
      if (asked === 'renewalInfo') throw refusal({ type: 'rateLimited', status: 429 }, new Date(kit.now + 2 * HOUR));
    };
    await kit.untilIdle();
    expect(await kit.issuance.pauses()).toMatchObject([{ scope: 'requests', until: new Date(kit.now + 2 * HOUR) }]);
  });

  it('of an authority that is paused does not hold up those of others', async () => {
    await kit.request('a.example');
    await kit.untilIdle();
    kit.authority.directory = 'https://other.example/directory';
    kit.restart();
    await kit.request('b.example');
    await kit.untilIdle();
    await kit.pass(MINUTE);
    const until = new Date(kit.now + 3 * DAY);
    const problem = ownProblem('limited', { type: 'rateLimited', detail: 'slow down' }, new Date(kit.now));
    await kit.accounts.pause({
      directory: 'https://ca.example/directory',
      scope: 'requests',
      until,
      failures: 0,
      problem,
    });
    kit.authority.requests.length = 0;
    await kit.pass(2 * DAY);
    expect(kit.authority.requests.filter((asked) => asked === 'renewalInfo')).toHaveLength(8);
  });

  it('of an expired certificate is not asked for', async () => {
    kit.authority.lifetimeMs = 3 * DAY;
    await kit.request('a.example');
    await kit.untilIdle();
    kit.authority.validation = () => problemOf('dns', 'NXDOMAIN');
    await kit.pass(4 * DAY);
    const asked = () => kit.authority.requests.filter((one) => one === 'renewalInfo').length;
    const before = asked();
    expect(before).toBeGreaterThan(8);
    await kit.pass(2 * DAY);
    expect(asked()).toBe(before);
  });
});

// Failures in the middle of an order: nothing is issued twice, and nothing that the authority said is forgotten.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemOf, refusal, unreachable } from '../../testkit/issuance/fake-authority.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { AcmeFactsStore } from '../store/acme-facts-store.ts';
import { ownProblem } from './problems.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let kit: IssuanceKit;
beforeEach(async () => {
  kit = await IssuanceKit.open();
});
afterEach(() => kit.remove());

const limited = () => ownProblem('limited', { type: 'rateLimited', detail: 'slow down' }, new Date(kit.now));
const pauseOf = (scope: 'orders' | 'requests', ms: number, failures = 0) =>
  kit.accounts.pause({
    ...{ directory: kit.authority.directory, scope, failures, problem: limited() },
    until: new Date(kit.now + ms),
  });
const untilOf = async () => (await kit.accounts.pauses()).map(({ until }) => until.getTime() - kit.now);

describe('an order', () => {
  it.each([404, 400, 403])('whose certificate is refused with %s at first is not issued again', async (status) => {
    const end = kit.now + 5 * HOUR;
    kit.authority.before = (asked) => {
      if (asked === 'certificate' && kit.now < end) throw refusal({ type: 'malformed', detail: 'no such', status });
    };
    const id = await kit.request('a.example');
    await kit.pass(4 * HOUR);
    expect(await kit.wanted.get(id)).toMatchObject({ problem: { detail: 'no such' } });
    await kit.pass(2 * HOUR);
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
    expect([kit.authority.newOrders, kit.authority.issued.length]).toEqual([1, 1]);
  });

  it('whose predecessor is of another account is repeated without it', async () => {
    kit.authority.window = (notBefore, notAfter) => ({ start: notBefore, end: notAfter });
    kit.authority.pollMs = DAY;
    const id = await kit.request('a.example');
    await kit.untilIdle();
    const { authority } = kit;
    const connect = authority.connect.bind(authority);
    authority.connect = (directory, key) => {
      const client = connect(directory, key);
      return {
        ...client,
        createOrder: async (request) => {
          if (request.replaces === null) return await client.createOrder(request);
          const detail = 'requester account did not request the certificate being replaced by this order';
          throw refusal({ type: 'unauthorized', detail, status: 403 });
        },
      };
    };
    kit.restart();
    await kit.pass(90 * DAY);
    expect((await kit.certificates.get(id))!.version).toBeGreaterThanOrEqual(2);
  });

  it('that the authority refuses to issue does not count as an issue', async () => {
    kit.authority.lifetimeMs = 6 * DAY;
    const id = await kit.request('a.example');
    await kit.untilIdle();
    let left = 4;
    kit.authority.before = (asked) => {
      if (asked !== 'finalize' || left === 0) return;
      left -= 1;
      throw refusal({ type: 'serverInternal', detail: 'try later', status: 403 });
    };
    await kit.pass(5 * DAY);
    expect(left).toBe(0);
    expect(await kit.certificates.get(id)).toMatchObject({ version: 2 });
  });

  it('that is removed while it waits leaves no challenge', async () => {
    const id = await kit.request('a.example');
    await kit.settle();
    expect(kit.authority.shown.size).toBe(1);
    await kit.wanted.remove(id, new Date(kit.now));
    await kit.settle();
    expect(kit.authority.shown.size).toBe(0);
  });
});

describe('a problem that is over', () => {
  it('is not shown with the certificate any longer, though the order is still open', async () => {
    const end = kit.now + 10 * MINUTE;
    kit.authority.validationMs = () => HOUR / 2;
    kit.authority.before = (asked) => {
      if (asked === 'authorization' && kit.now < end) throw unreachable();
    };
    const id = await kit.request('a.example');
    await kit.pass(5 * MINUTE);
    expect(await kit.wanted.get(id)).toMatchObject({ problem: { type: 'unreachable' } });
    expect((await new AcmeFactsStore(kit.database).totals(new Date(kit.now))).byClass.get('will retry')).toBe(1);
    await kit.pass(20 * MINUTE);
    expect(await kit.orders.allOpen()).toMatchObject([{ state: 'told' }]);
    expect(await kit.wanted.get(id)).toMatchObject({ problem: null });
    expect((await new AcmeFactsStore(kit.database).totals(new Date(kit.now))).byClass.size).toBe(0);
  });

  it('of a limit is not shown once the next order is begun', async () => {
    let limited = true;
    kit.authority.validationMs = () => HOUR / 2;
    kit.authority.before = (asked) => {
      if (asked === 'createOrder' && limited) throw refusal({ type: 'rateLimited', status: 429 });
    };
    const id = await kit.request('a.example');
    await kit.pass(MINUTE);
    expect(await kit.wanted.get(id)).toMatchObject({ problem: { class: 'limited' } });
    limited = false;
    await kit.pass(HOUR);
    expect(await kit.orders.allOpen()).toMatchObject([{ state: 'told' }]);
    expect(await kit.wanted.get(id)).toMatchObject({ problem: null });
  });

  it('does not hide one that needs attention', async () => {
    kit.authority.validation = () => problemOf('caa', 'a CAA record forbids it');
    const id = await kit.request('a.example');
    await kit.untilIdle();
    await kit.issuance.renew(id, caller);
    kit.authority.before = () => {
      throw unreachable();
    };
    await kit.settle();
    expect(await kit.orders.allOpen()).toMatchObject([{ problem: { type: 'unreachable' } }]);
    expect(await kit.wanted.get(id)).toMatchObject({ problem: { class: 'needs attention', type: 'caa' } });
    expect(await new AcmeFactsStore(kit.database).unrenewed(new Date(kit.now), 1)).toMatchObject([
      { problem: { type: 'caa' } },
    ]);
  });
});

describe('a pause', () => {
  it('is not shortened by a later one, nor ended before it is over', async () => {
    await pauseOf('requests', 5 * HOUR);
    await pauseOf('requests', MINUTE, 1);
    expect(await untilOf()).toEqual([5 * HOUR]);
    await kit.accounts.endPause(kit.authority.directory, 'requests', new Date(kit.now));
    expect(await untilOf()).toEqual([5 * HOUR]);
    await pauseOf('requests', 6 * HOUR);
    expect(await untilOf()).toEqual([6 * HOUR]);
  });

  it('of a limit stays while a request that was under way is cut', async () => {
    let first = true;
    kit.authority.before = (asked) => {
      if (asked !== 'authorization' || !first) return;
      first = false;
      void pauseOf('requests', 2 * HOUR);
      throw unreachable();
    };
    const id = await kit.request('a.example');
    await kit.settle();
    expect(await untilOf()).toEqual([2 * HOUR]);
    expect(kit.logged.filter((line) => /Invalid time/.test(line))).toEqual([]);
    await kit.pass(3 * HOUR);
    expect(await kit.certificates.get(id)).toMatchObject({ version: 1 });
  });
});

it('a renewal that a limit delayed is not forgotten when the authority names a window', async () => {
  kit.authority.window = (_notBefore, notAfter) => ({ start: new Date(notAfter.getTime() - 30 * DAY), end: notAfter });
  const id = await kit.request('a.example');
  await kit.untilIdle();
  await kit.issuance.renew(id, caller);
  await kit.untilIdle();
  await kit.issuance.renew(id, caller);
  await kit.settle();
  expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'limit' });
  await kit.pass(2 * DAY);
  expect(await kit.certificates.get(id)).toMatchObject({ version: 3, problem: null });
});

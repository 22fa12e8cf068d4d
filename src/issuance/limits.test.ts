// Limits that hold for every request, a clock that is moved, and windows that are wrong.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemOf, refusal } from '../../testkit/issuance/fake-authority.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { longTests } from '../../testkit/proxies.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let kit: IssuanceKit;
beforeEach(async () => {
  kit = await IssuanceKit.open();
});
afterEach(() => kit.remove());

/** The most within any period of this length. */
function most(times: readonly number[], withinMs: number): number {
  return Math.max(0, ...times.map((at) => times.filter((other) => other >= at && other < at + withinMs).length));
}

/** Beside another one that has some of its names, which a request is refused for. */
async function wantedToo(id: string, ...names: readonly string[]): Promise<string> {
  const other = await kit.request(`${id}.example`);
  await kit.database.write
    .updateTable('acme_certificates')
    .set({ names_json: JSON.stringify(names), names_key: names.toSorted().join() })
    .where('id', '=', other)
    .execute();
  return other;
}

const issuedAt = () => kit.authority.issued.map(({ at }) => at);

describe('never more than 2 issues per set of names in 24 h and 4 in 7 d', () => {
  it('however often an operator demands it', async () => {
    const id = await kit.request('a.example');
    const limited = new Set<string | undefined>();
    for (let asked = 0; asked < 20; asked += 1) {
      await kit.issuance.renew(id, caller);
      await kit.pass(10 * HOUR);
      const { dueBy, problem } = (await kit.wanted.get(id))!;
      if (dueBy === 'limit') limited.add(`${problem?.class}: ${problem?.detail.split(';')[0]}`);
    }
    expect(most(issuedAt(), DAY)).toBe(2);
    expect(most(issuedAt(), 7 * DAY)).toBe(4);
    expect(limited).toEqual(
      new Set([
        'limited: the certificate was ordered 2 times from this authority within 24 hours',
        'limited: the certificate was ordered 4 times from this authority within 7 days',
      ]),
    );
  });

  it('if the authority always names a window of the past', async () => {
    kit.authority.window = (notBefore) => ({ start: new Date(notBefore.getTime() - DAY), end: notBefore });
    await kit.request('a.example');
    await kit.pass(15 * DAY);
    expect(issuedAt().length).toBeGreaterThan(4);
    expect([most(issuedAt(), DAY), most(issuedAt(), 7 * DAY)]).toEqual([2, 4]);
    expect(kit.authority.violations).toEqual([]);
  });

  it('if the clock is moved ahead and back', async () => {
    await kit.request('a.example');
    await kit.untilIdle();
    for (const days of [61, 0, 61, -30, 61, 2, 0]) {
      kit.skew = days * DAY;
      await kit.pass(3 * HOUR);
      kit.restart();
    }
    expect(most(issuedAt(), DAY)).toBeLessThanOrEqual(2);
    kit.skew = 0;
    await kit.pass(75 * DAY);
    const last = kit.authority.issued.at(-1)!;
    expect(last.notAfter - kit.now).toBeGreaterThan(10 * DAY);
  });
});

describe('at another authority', () => {
  const REAL = 'https://real.example/directory';
  const issuedBy = (directory: string) =>
    kit.authority.issued.filter((one) => one.directory === directory).map(({ at }) => at);
  function changeTo(directory: string): void {
    kit.authority.directory = directory;
    kit.restart();
  }

  it('what the first one issued does not count, and a certificate that it limited is ordered at once', async () => {
    const staging = kit.authority.directory;
    const id = await kit.request('a.example');
    await kit.untilIdle();
    for (let asked = 0; asked < 2; asked += 1) {
      await kit.issuance.renew(id, caller);
      await kit.pass(MINUTE);
    }
    expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'limit', problem: { class: 'limited' } });
    // Another contact is no other authority.
    kit.settings = { contacts: ['mailto:ops@example.com'] };
    kit.restart();
    await kit.pass(MINUTE);
    expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'limit', problem: { class: 'limited' } });
    changeTo(REAL);
    await kit.pass(MINUTE);
    expect([issuedBy(staging).length, issuedBy(REAL).length]).toEqual([2, 1]);
    expect(await kit.wanted.get(id)).toMatchObject({ directory: REAL, problem: null });
  });

  it('each keeps within the limits, however often they change', async () => {
    const both = [kit.authority.directory, REAL];
    const id = await kit.request('a.example');
    for (let asked = 0; asked < 40; asked += 1) {
      changeTo(both[asked % 2]!);
      await kit.issuance.renew(id, caller);
      await kit.pass(longTests ? DAY : 5 * HOUR);
    }
    for (const one of both) {
      expect([most(issuedBy(one), DAY), most(issuedBy(one), 7 * DAY)]).toEqual([2, 4]);
    }
    expect(kit.authority.violations).toEqual([]);
  });

  it('what the first one failed to validate does not count', async () => {
    kit.authority.validation = () => problemOf('connection', 'refused');
    const id = await kit.request('a.example');
    for (let asked = 0; asked < 4; asked += 1) {
      await kit.issuance.renew(id, caller);
      await kit.pass(MINUTE);
    }
    expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'limit', problem: { class: 'limited' } });
    kit.authority.validation = () => null;
    changeTo(REAL);
    await kit.pass(MINUTE);
    expect(issuedBy(REAL)).toHaveLength(1);
  });
});

it('never more than 3 failed validations per name and hour, however often an order is demanded', async () => {
  kit.authority.validation = () => problemOf('connection', 'refused');
  const ids = [await kit.request('a.example'), await wantedToo('other', 'a.example', 'b.example')];
  for (let minutes = 0; minutes < (longTests ? 600 : 300); minutes += 5) {
    for (const id of ids) await kit.issuance.renew(id, caller);
    await kit.pass(5 * MINUTE);
  }
  const failed = kit.authority.failedAt('a.example');
  expect(failed.length).toBeGreaterThan(longTests ? 20 : 10);
  expect(most(failed, HOUR)).toBe(3);
});

it('over seven days, names that fail get few attempts, and others are on time', async () => {
  kit.authority.validation = (name) => (name.startsWith('bad') ? problemOf('dns', 'NXDOMAIN') : null);
  for (let n = 0; n < 10; n += 1) await kit.request(`${n % 5 === 0 ? 'bad' : 'good'}${n}.example`);
  await kit.pass(7 * DAY);
  expect(kit.authority.issued.map(({ names }) => names[0]).toSorted()).toEqual(
    [1, 2, 3, 4, 6, 7, 8, 9].map((n) => `good${n}.example`),
  );
  for (const name of ['bad0.example', 'bad5.example']) {
    expect(most(kit.authority.failedAt(name), HOUR)).toBeLessThanOrEqual(3);
    expect(kit.authority.failedAt(name).length).toBeLessThan(15);
  }
});

it('a revoked certificate is renewed within a day, as its window is in the past', async () => {
  let revoked = false;
  kit.authority.window = (notBefore, notAfter) =>
    revoked
      ? { start: new Date(notBefore.getTime() - 2 * DAY), end: new Date(notBefore.getTime() - DAY) }
      : { start: new Date(notAfter.getTime() - 30 * DAY), end: new Date(notAfter.getTime() - 28 * DAY) };
  const id = await kit.request('a.example');
  await kit.pass(5 * DAY);
  expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'ari' });
  revoked = true;
  await kit.pass(DAY);
  expect(kit.authority.issued.length).toBeGreaterThanOrEqual(2);
});

it('a window is asked for at most once in a second and after Retry-After, and one moment in it is kept', async () => {
  kit.authority.window = (_notBefore, notAfter) => ({ start: new Date(notAfter.getTime() - 30 * DAY), end: notAfter });
  for (const name of ['a.example', 'b.example', 'c.example']) await kit.request(name);
  const asked: number[] = [];
  kit.authority.after = (operation) => {
    if (operation === 'renewalInfo') asked.push(kit.now);
  };
  await kit.pass(HOUR);
  const [first] = await kit.wanted.all();
  await kit.pass(DAY);
  expect(most(asked, 999)).toBe(1);
  expect(asked.length).toBe(3 * 5);
  expect((await kit.wanted.all())[0]!.window).toEqual(first!.window);
  expect(first!.dueAt!.getTime()).toBeLessThanOrEqual(first!.life!.notAfter.getTime() - 9 * DAY);
});

it('certificates of six days always have a day left, with an authority that fails every third order', async () => {
  kit.authority.lifetimeMs = 6 * DAY;
  let orders = 0;
  kit.authority.validation = () => {
    orders += 1;
    return orders % 3 === 0 ? problemOf('connection', 'refused') : null;
  };
  const id = await kit.request('a.example');
  await kit.untilIdle();
  await kit.pass((longTests ? 60 : 30) * DAY, async () => {
    const left = Date.parse((await kit.certificates.get(id))!.notAfter) - kit.now;
    expect(left).toBeGreaterThan(DAY);
  });
  expect(kit.authority.issued.length).toBeGreaterThan(longTests ? 18 : 8);
});

it('at most four orders are open at a time, the certificate with the least of its life left first', async () => {
  const lifetimes = [90, 45, 60, 50, 70, 55];
  for (const [n, days] of lifetimes.entries()) {
    kit.authority.lifetimeMs = days * DAY;
    await kit.request(`${n}.example`);
    await kit.untilIdle();
  }
  kit.authority.issued.length = 0;
  // The machine was off.
  kit.now += 44 * DAY;
  kit.authority.lifetimeMs = 90 * DAY;
  const planned: string[] = [];
  let open = 0;
  kit.authority.before = () => undefined;
  for (const { id } of await kit.wanted.all()) await kit.issuance.renew(id, caller);
  await kit.pass(HOUR, async () => {
    const orders = await kit.orders.allOpen();
    open = Math.max(open, orders.length);
    for (const { names } of orders) if (!planned.includes(names[0]!)) planned.push(names[0]!);
  });
  expect(open).toBe(4);
  expect(planned).toEqual(['1.example', '3.example', '5.example', '2.example', '4.example', '0.example']);
});

it('certificates whose challenges this machine cannot show do not keep others from being ordered', async () => {
  kit.isShown = (names) => !names.some((name) => name.startsWith('bad'));
  // More than may be open at a time.
  for (let n = 0; n < 5; n += 1) await kit.request(`bad${n}.example`);
  const good = await kit.request('good.example');
  await kit.pass(10 * MINUTE);
  expect(await kit.certificates.get(good)).toMatchObject({ version: 1 });
  // And not again after they failed.
  await kit.pass(longTests ? DAY : 5 * HOUR);
  await kit.issuance.renew(good, caller);
  await kit.pass(3 * MINUTE);
  expect(await kit.certificates.get(good)).toMatchObject({ version: 2 });
});

it('two open orders never share a name', async () => {
  await kit.request('a.example', 'b.example');
  await wantedToo('other', 'b.example', 'c.example');
  const seen: number[] = [];
  await kit.pass(MINUTE, async () => void seen.push((await kit.orders.allOpen()).length));
  expect(Math.max(...seen)).toBe(1);
});

describe('certificates that the authority limits for ever', () => {
  const limited = (name: string) => name.startsWith('bad');
  /** Each order of such a name is refused, for an hour. */
  function limiting(): void {
    const connect = kit.authority.connect.bind(kit.authority);
    kit.authority.connect = (directory, key) => {
      const client = connect(directory, key);
      return {
        ...client,
        createOrder: async (request) => {
          if (!request.names.some(limited)) return await client.createOrder(request);
          kit.authority.requests.push(`limited ${request.names.join()}`);
          throw refusal({ type: 'rateLimited', detail: 'too many', status: 429 }, new Date(kit.now + HOUR));
        },
      };
    };
    kit.restart();
  }

  it('do not keep others from being ordered, and get their turns', async () => {
    limiting();
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) ids.push(await kit.request(`bad${n}.example`));
    for (let n = 0; n < 6; n += 1) await kit.request(`good${n}.example`);
    await kit.pass(12 * HOUR);
    expect(kit.authority.issued).toHaveLength(6);
    // One in an hour, after the first four.
    for (const id of ids) {
      const attempts = await kit.issuance.attempts(id, 20);
      expect(attempts.length).toBeGreaterThanOrEqual(2);
      expect(attempts.length).toBeLessThanOrEqual(4);
      expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'limit', failures: 0, problem: { class: 'limited' } });
    }
    expect(kit.ended.filter((one) => !one.endsWith('issued'))).toEqual([]);
  });

  it('are ordered one after the other also after a start with other settings', async () => {
    limiting();
    for (let n = 0; n < 6; n += 1) await kit.request(`bad${n}.example`);
    await kit.pass(12 * HOUR);
    kit.settings = { contacts: ['mailto:ops@example.com'] };
    kit.restart();
    const open: number[] = [];
    await kit.pass(2 * HOUR, async () => void open.push((await kit.orders.allOpen()).length));
    expect(Math.max(...open)).toBeLessThanOrEqual(1);
  });

  it('come after those that are not, and what was never issued gets no more turns than a renewal', async () => {
    const [renewal, good] = [await kit.request('bad-renewal.example'), await kit.request('good.example')];
    await kit.untilIdle();
    limiting();
    await kit.request('bad-new.example');
    await kit.settle();
    for (const id of [renewal, good]) await kit.issuance.renew(id, caller);
    kit.authority.requests.length = 0;
    await kit.pass(8 * HOUR);
    expect(await kit.certificates.get(good)).toMatchObject({ version: 2 });
    const asked = kit.authority.requests.filter((one) => /createOrder|limited/.test(one));
    expect(asked.slice(0, 2).toSorted()).toEqual(['createOrder', 'limited bad-renewal.example']);
    const turns = (name: string) => asked.filter((one) => one === `limited bad-${name}.example`).length;
    expect([turns('new'), turns('renewal')]).toEqual([4, 4]);
  });

  it('still need attention if they did', async () => {
    kit.authority.validation = () => problemOf('caa', 'CAA record forbids it');
    const id = await kit.request('bad.example');
    await kit.untilIdle();
    limiting();
    await kit.pass(2 * DAY);
    expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'limit', problem: { class: 'needs attention' } });
    kit.settings = { contacts: ['mailto:ops@example.com'] };
    kit.restart();
    await kit.settle();
    expect(await kit.wanted.get(id)).toMatchObject({ dueBy: 'retry', dueAt: new Date(kit.now) });
  });
});

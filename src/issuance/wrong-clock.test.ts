// A clock that is wrong for days: of this machine, or of the authority (ADR 0105).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { selfSigned } from '../../testkit/tls/uploads.ts';
import { AcmeFactsStore } from '../store/acme-facts-store.ts';
import { type IssuanceFindings, issuanceFindings } from './issuance-findings.ts';
import { judgedAt } from './issued-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('an issued certificate', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const life = (from: number, to: number) => ({
    notBefore: new Date(now.getTime() + from * DAY),
    notAfter: new Date(now.getTime() + to * DAY),
  });
  const days = (at: Date | null) => (at === null ? null : (at.getTime() - now.getTime()) / DAY);

  it.each([
    ['that is valid by the clock of this machine', life(-1, 89), [life(-60, 30)], 0, 0],
    ['not valid yet, of an authority whose clock is not known', life(2, 92), [null], 0, null],
    ['not valid yet, the first of its names', life(2, 92), [null], -3, 3],
    ['not valid yet, the first of one of two names', life(2, 92), [life(-60, 30), null], -3, 3],
    ['not valid yet, while the one before lasts by the clock of the authority', life(2, 92), [life(-60, 30)], -3, null],
    ['not valid yet, when the one before expires soon by that clock', life(20, 110), [life(-60, 30)], -21.5, 21.5],
    ['not valid yet, when one of two before expires soon', life(20, 110), [life(-1, 89), life(-60, 30)], -21.5, 21.5],
    ['not valid by either clock', life(2, 92), [null], -1, null],
    ['expired by a clock that is ahead, the first of its names', life(-100, -10), [null], 99, -99],
  ])('%s is stored or waits', (_what, issued, served, aheadDays, expected) => {
    expect(days(judgedAt(issued, served, now, aheadDays * DAY))).toBe(expected);
  });
});

describe('while the clock of this machine is', () => {
  let kit: IssuanceKit;
  beforeEach(async () => {
    kit = await IssuanceKit.open();
    kit.knowsTime = true;
    // Each wait is of days, with a look every half hour.
    kit.authority.lifetimeMs = 9 * DAY;
  });
  afterEach(() => kit.remove());
  const versionOf = async (id: string) => (await kit.certificates.get(id))?.version ?? 0;
  const endOf = async (id: string) => Date.parse((await kit.certificates.get(id))!.notAfter);

  it.each([-40, 100])('%i days ahead, the first certificate of a name is stored at once', async (days) => {
    kit.skew = days * DAY;
    const id = await kit.request('a.example');
    await kit.pass(MINUTE);
    expect(await versionOf(id)).toBe(1);
    expect(kit.authority.issued).toHaveLength(1);
  });

  it.each([-40, 100])('%i days ahead from some day on, no certificate expires', async (days) => {
    const id = await kit.request('a.example');
    await kit.untilIdle();
    kit.skew = days * DAY;
    await kit.pass(9.5 * DAY, async () => {
      expect(await endOf(id)).toBeGreaterThan(kit.now + 0.8 * DAY);
    });
    expect(await versionOf(id)).toBe(2);
    expect(kit.authority.issued).toHaveLength(2);
    kit.skew = 0;
    await kit.pass(HOUR);
    expect(await kit.wanted.get(id)).toMatchObject({ problem: null });
  });

  it('behind, the first certificate of a name waits while one of a wildcard serves the name', async () => {
    const wildcard = selfSigned(['*.shop.example'], { now: new Date(kit.now), lasts: 5 });
    expect(await kit.certificates.create(wildcard, {}, caller)).toMatchObject({ ok: true });
    kit.skew = -40 * DAY;
    const id = await kit.request('a.shop.example');
    await kit.pass(4 * DAY);
    expect(await versionOf(id)).toBe(0);
    expect(await kit.wanted.get(id)).toMatchObject({ problem: { type: 'clock' } });
    // A tenth of its lifetime is left.
    await kit.pass(DAY);
    expect(await versionOf(id)).toBe(1);
    expect(kit.authority.issued).toHaveLength(1);
  });

  it('behind, a certificate is stored at once if a wildcard serves only one of its names', async () => {
    const wildcard = selfSigned(['*.shop.example'], { now: new Date(kit.now), lasts: 5 });
    expect(await kit.certificates.create(wildcard, {}, caller)).toMatchObject({ ok: true });
    kit.skew = -40 * DAY;
    const id = await kit.request('a.shop.example', 'b.other.example');
    await kit.pass(MINUTE);
    expect(await versionOf(id)).toBe(1);
  });

  it('behind, certificates that wait for it do not keep a new one from being ordered', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) ids.push(await kit.request(`${n}.example`));
    await kit.untilIdle();
    kit.skew = -40 * DAY;
    await kit.pass(5 * DAY);
    expect((await kit.orders.allOpen()).map(({ state }) => state)).toEqual(Array(6).fill('issued'));
    const id = await kit.request('new.example');
    await kit.pass(MINUTE);
    expect(await versionOf(id)).toBe(1);
    kit.skew = 0;
    await kit.pass(HOUR);
    for (const one of ids) expect(await versionOf(one)).toBe(2);
  });
});

// The kit's time is that of the authority, so the clock of this machine, which is right here, is ahead of it.
describe('while the clock of the authority is behind by', () => {
  let kit: IssuanceKit;
  beforeEach(async () => {
    kit = await IssuanceKit.open();
    kit.knowsTime = true;
  });
  afterEach(() => kit.remove());
  const right = () => new Date(kit.now + kit.skew);
  const leftOf = async (id: string) => Date.parse((await kit.certificates.get(id))!.notAfter) - right().getTime();
  async function findings(): Promise<IssuanceFindings> {
    const facts = new AcmeFactsStore(kit.database);
    const [unrenewed, totals] = [await facts.unrenewed(right(), 9), await facts.totals(right())];
    return issuanceFindings({ unrenewed, totals, pauses: [], obstacle: null, clockOffsetMs: kit.skew }, right());
  }

  it('less than a third of the lifetime, no certificate expires', async () => {
    kit.skew = 25 * DAY;
    const id = await kit.request('a.example');
    await kit.untilIdle();
    await kit.pass(200 * DAY, async () => {
      expect(await leftOf(id)).toBeGreaterThan(DAY);
    });
    expect(kit.authority.issued).toHaveLength(4);
  });

  it('more than that, health names both clocks at once and the certificate in time, and a renewal is possible', async () => {
    kit.skew = 40 * DAY;
    const id = await kit.request('a.example');
    await kit.untilIdle();
    expect((await findings()).problems).toEqual([expect.stringContaining('ahead of the clock of the authority')]);
    const most = (await leftOf(id)) - 14 * DAY;
    await kit.pass(most);
    expect(await leftOf(id)).toBeGreaterThan(13 * DAY);
    expect((await findings()).problems[0]).toMatch(
      new RegExp(`^${id} of a\\.example expires at .* an order has been due`),
    );
    await kit.issuance.renew(id, caller);
    await kit.pass(MINUTE);
    expect(await leftOf(id)).toBeGreaterThan(49 * DAY);
  });
});

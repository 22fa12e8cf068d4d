// A year of many sites with an authority that enforces its limits: `npm test` has few sites and smaller limits.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LIMITS, problemOf, unreachable } from '../../testkit/issuance/fake-authority.ts';
import { IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { longTests } from '../../testkit/proxies.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const sites = longTests ? 500 : 8;
const ordersIn3h = longTests ? LIMITS.orders.most : 5;

let kit: IssuanceKit;
beforeEach(async () => {
  kit = await IssuanceKit.open();
});
afterEach(() => kit.remove());

it(`a year of ${sites} sites: no gap, no order within a Retry-After, no limit of a name or set of names reached`, {
  timeout: longTests ? 1_800_000 : 120_000,
}, async () => {
  const { authority } = kit;
  authority.limits = { ...LIMITS, orders: { most: ordersIn3h, withinMs: 3 * HOUR } };
  // One of 25 validations fails, and in each third month the authority does not answer for two days.
  let validations = 0;
  authority.validation = () => {
    validations += 1;
    return validations % 25 === 0 ? problemOf('connection', 'timeout') : null;
  };
  const begun = kit.now;
  authority.before = () => {
    const day = ((kit.now - begun) / DAY) % 90;
    if (day > 62 && day < 64) throw unreachable();
  };
  const refused: string[] = [];
  authority.refused = (detail) => void refused.push(detail);
  const ids: string[] = [];
  for (let site = 0; site < sites; site += 1) ids.push(await kit.request(`shop.site${site}.example`));
  await kit.pass(2 * DAY);
  for (const id of ids) expect(await kit.certificates.get(id)).not.toBeNull();
  for (let day = 2; day < 365; day += 1) {
    await kit.pass(DAY);
    if (day % 30 === 0) kit.restart();
    const { items } = await kit.certificates.list({ limit: 1 });
    expect(Date.parse(items[0]!.notAfter) - kit.now).toBeGreaterThan(15 * DAY);
  }
  expect(authority.violations).toEqual([]);
  // The limit of orders is the authority's to state; the others are never reached.
  expect(new Set(refused)).toEqual(new Set(['too many new orders']));
  expect(authority.newAccounts).toBe(1);
  const perSite = authority.issued.length / sites;
  expect(perSite).toBeGreaterThanOrEqual(6);
  expect(perSite).toBeLessThan(8);
});

// The service ends at any request of an order, with the tests' authority and a real one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithPebble } from '../../testkit/acme/pebble.ts';
import type { TestAuthority } from '../../testkit/issuance/fake-authority.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { PebbleAuthority, PebbleWithWeb } from '../../testkit/issuance/pebble-issuance.ts';
import { longTests, sampled } from '../../testkit/proxies.ts';

const operations = ['register', 'createOrder', 'order', 'authorization', 'answerChallenge', 'finalize', 'certificate'];
const cases = operations.flatMap((operation) => [
  { operation, when: 'before' as const },
  { operation, when: 'after' as const },
]);

async function interrupt(kit: IssuanceKit<TestAuthority>, { operation, when }: (typeof cases)[number]): Promise<void> {
  const { authority } = kit;
  let armed = true;
  authority[when] = (asked) => {
    if (!armed || asked !== operation) return;
    armed = false;
    throw new Error('the service ended');
  };
  const id = await kit.request('a.example', 'b.example');
  while (armed) {
    // An order that met the interruption waits, which is not waited for.
    const { working } = await kit.issuance.tick();
    if (working === 0) await kit.advance();
  }
  kit.restart();
  await kit.untilIdle();
  expect(await kit.issuance.attempts(id, 2)).toMatchObject([{ state: 'stored', problem: null }]);
  expect(await kit.certificates.get(id)).toMatchObject({ version: 1, source: 'acme' });
  expect(authority.shown.size).toBe(0);
  await kit.remove();
}

describe('an order that is interrupted, with an authority of the tests', () => {
  it.each(cases)('$when $operation goes on after a restart, and one certificate is issued', async (interruption) => {
    const kit = await IssuanceKit.open();
    await interrupt(kit, interruption);
    expect([kit.authority.issued.length, kit.authority.newAccounts]).toEqual([1, 1]);
  });
});

describeWithPebble('an order that is interrupted, with an authority that refuses half of the nonces', () => {
  let authority: PebbleWithWeb;
  beforeAll(async () => {
    authority = await PebbleWithWeb.start();
  });
  afterAll(() => authority?.stop());

  const starts = longTests ? 50 : 15;

  it('at any request goes on after a restart, and one certificate is issued', async () => {
    // Before and after in turn; the authority of the tests gets all.
    const chosen = sampled(cases, (_, at) => at % 4 === 1 || at % 4 === 2);
    await Promise.all(
      chosen.map(async (one) => await interrupt(await IssuanceKit.openWith(new PebbleAuthority(authority)), one)),
    );
    expect([authority.issued, authority.accounts]).toEqual([chosen.length, chosen.length]);
  });

  it('gets one account in many starts, each of which registers, though every third ends with the reply', async () => {
    const before = authority.accounts;
    const peer = new PebbleAuthority(authority);
    const kit = await IssuanceKit.openWith(peer);
    let registered = 0;
    for (let start = 0; start < starts; start += 1) {
      peer.after = (asked) => {
        if (asked !== 'register') return;
        registered += 1;
        if (start % 3 === 0) throw new Error('the service ended');
      };
      const id = await kit.request(`start-${start}.example`);
      while ((await kit.orders.ofCertificate(id, 1)).length === 0) await kit.issuance.tick();
      // One start registers, and goes no further.
      await kit.issuance.forget(id, caller);
      kit.restart();
    }
    expect(registered).toBeGreaterThanOrEqual(starts);
    expect(authority.accounts - before).toBe(1);
    await kit.remove();
  });
});

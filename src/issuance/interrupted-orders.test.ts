// The service ends at any request of an order, with the tests' authority and a real one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithPebble } from '../../testkit/acme/pebble.ts';
import type { TestAuthority } from '../../testkit/issuance/fake-authority.ts';
import { IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { PebbleAuthority, PebbleWithWeb } from '../../testkit/issuance/pebble-issuance.ts';

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

  it('at any request goes on after a restart, and one certificate is issued', async () => {
    await Promise.all(
      cases.map(async (one) => await interrupt(await IssuanceKit.openWith(new PebbleAuthority(authority)), one)),
    );
    expect([authority.issued, authority.accounts]).toEqual([cases.length, cases.length]);
  });
});

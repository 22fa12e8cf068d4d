// Accounts at authorities, and what follows if the secret of their keys is lost.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../testkit/conditions.ts';
import { unreachable } from '../../testkit/issuance/fake-authority.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { longTests } from '../../testkit/proxies.ts';
import { SECRET_LENGTH, Sealer } from '../secrets/sealed.ts';
import { countSealedKeys } from '../store/sealed-keys.ts';
import { Accounts } from './accounts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let kit: IssuanceKit;
beforeEach(async () => {
  kit = await IssuanceKit.open();
});
afterEach(() => kit.remove());

const versionOf = async (id: string) => (await kit.certificates.get(id))?.version ?? 0;

/** Key and CSR are stored; the authority does not answer. */
async function untilFinalizing(): Promise<void> {
  kit.authority.before = (asked) => {
    if (asked === 'finalize') throw unreachable();
  };
  while ((await kit.orders.allOpen())[0]?.state !== 'finalizing') {
    if (!(await kit.advance())) throw new Error('the order ended');
  }
  kit.authority.before = () => undefined;
}

it('a registration that fails late does not make a later one be repeated', async () => {
  await kit.request('a.example');
  await kit.untilIdle();
  const { directory } = kit.authority;
  const registered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  const accounts = new Accounts({
    store: kit.accounts,
    sealer: new Sealer(Buffer.alloc(SECRET_LENGTH, 1)),
    settings: { directory, contacts: [], termsAgreed: true, externalAccount: null },
    connect: (at, key) => ({
      ...kit.authority.connect(at, key),
      register: async () => {
        begun += 1;
        await registered[begun - 1]?.promise;
        return { url: 'https://ca.example/account/1', status: 'valid' };
      },
    }),
    createId: () => 'a-1',
    log: { warn: () => undefined },
    now: () => new Date(kit.now),
  });
  const first = accounts.of(directory);
  await eventually('the first has begun', async () => begun === 1);
  await accounts.forget(directory);
  const second = accounts.of(directory);
  await eventually('the second has begun', async () => begun === 2);
  registered[0]!.reject(unreachable());
  await expect(first).rejects.toThrow('no answer');
  registered[1]!.resolve();
  await second;
  await accounts.of(directory);
  expect(begun).toBe(2);
});

describe('after the secret is lost', () => {
  it('another account is registered with another key', async () => {
    const id = await kit.request('a.example');
    await kit.untilIdle();
    kit.secret = 2;
    kit.restart();
    await kit.issuance.renew(id, caller);
    await kit.untilIdle();
    expect(await versionOf(id)).toBe(2);
    expect(kit.authority.newAccounts).toBe(2);
    kit.restart();
    await kit.pass(HOUR);
    expect(kit.authority.newAccounts).toBe(2);
  });

  it('an order whose key was sealed with it ends, and the next one is issued', async () => {
    const id = await kit.request('a.example');
    await untilFinalizing();
    kit.secret = 2;
    kit.restart();
    await kit.pass(HOUR);
    expect(await versionOf(id)).toBe(1);
    expect(await kit.issuance.attempts(id, 3)).toMatchObject([{ state: 'stored' }, { problem: { type: 'key' } }]);
    expect(kit.authority.issued).toHaveLength(1);
  });

  // Before an order the service tries each minute.
  it.each([
    ['before an order', longTests ? 48 : 5],
    ['while an order is open', 48],
  ])('%s, and put back %i hours later, nothing changes', async (when, hours) => {
    const id = await kit.request('a.example');
    await untilFinalizing();
    if (when === 'before an order') {
      await kit.untilIdle();
      await kit.issuance.renew(id, caller);
    }
    const issued = await versionOf(id);
    kit.secret = null;
    kit.restart();
    await kit.pass(hours * HOUR);
    expect(await versionOf(id)).toBe(issued);
    kit.secret = 1;
    kit.restart();
    await kit.pass(DAY);
    expect([await versionOf(id), kit.authority.issued.length]).toEqual([issued + 1, issued + 1]);
    expect(kit.authority.newAccounts).toBe(1);
  });
});

it('keys of accounts and of open orders count as sealed with the secret', async () => {
  expect(await countSealedKeys(kit.database)).toBe(0);
  await kit.request('a.example');
  await kit.settle();
  expect(await countSealedKeys(kit.database)).toBe(1);
  await untilFinalizing();
  expect(await countSealedKeys(kit.database)).toBe(2);
  await kit.untilIdle();
  expect(await countSealedKeys(kit.database)).toBe(2);
});

it('credentials of one authority are not sent to another, of which an order is open', async () => {
  await kit.request('a.example');
  await kit.settle();
  const sent: unknown[] = [];
  const connect = kit.authority.connect.bind(kit.authority);
  kit.authority.connect = (directory, key) => {
    const client = connect(directory, key);
    return {
      ...client,
      register: async (request) => {
        sent.push([directory, request.externalAccount?.kid]);
        return await client.register(request);
      },
    };
  };
  const other = 'https://other.example/directory';
  kit.settings = { directory: other, externalAccount: { kid: 'k1', hmacKey: Buffer.alloc(32) } };
  kit.restart();
  await kit.request('b.example');
  await kit.untilIdle();
  expect(new Map(sent as [string, string][])).toEqual(
    new Map([
      [kit.authority.directory, undefined],
      [other, 'k1'],
    ]),
  );
});

it('one client is used for all attempts to register', async () => {
  let connected = 0;
  const connect = kit.authority.connect.bind(kit.authority);
  kit.authority.connect = (directory, key) => {
    connected += 1;
    return connect(directory, key);
  };
  kit.restart();
  kit.authority.before = () => {
    throw unreachable();
  };
  await kit.request('a.example');
  await kit.pass(2 * HOUR);
  expect(kit.authority.requests.length).toBeGreaterThan(3);
  expect(connected).toBe(1);
});

// What issuance relies on, of the tests' authority and of a real one behind a front end for what that one lacks.
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AcmeFront, problem } from '../../testkit/acme/front.ts';
import { describeWithPebble } from '../../testkit/acme/pebble.ts';
import { eventually } from '../../testkit/conditions.ts';
import { FakeAuthority, type TestAuthority, unreachable } from '../../testkit/issuance/fake-authority.ts';
import { PebbleAuthority, PebbleWithWeb } from '../../testkit/issuance/pebble-issuance.ts';
import type { AcmeClient, AcmeOrder } from '../acme/authority.ts';
import { newKey } from './accounts.ts';

interface Side {
  readonly authority: TestAuthority;
  /** The next new order is refused by a limit for this many seconds. */
  limitNextOrder(seconds: number): void;
  /** The reply to the next one of these is lost, after it was carried out. */
  loseNext(operation: 'createOrder' | 'finalize'): void;
  window(window: { readonly start: Date; readonly end: Date }): void;
}

function contract(open: () => Promise<Side>, close: () => Promise<void>): void {
  let side: Side;
  let client: AcmeClient;
  let key: KeyObject;
  beforeAll(async () => {
    side = await open();
    // An authority says at the start whether it has renewal windows.
    side.window({ start: new Date(2_000_000_000_000), end: new Date(2_000_086_400_000) });
    key = newKey().privateKey;
    client = side.authority.connect(side.authority.directory, key);
    await client.register({ contacts: [], termsAgreed: true, externalAccount: null });
  });
  afterAll(() => close());

  const order = (names: readonly string[], more: { profile?: string; replaces?: string } = {}) =>
    client.createOrder({ names, profile: more.profile ?? null, replaces: more.replaces ?? null });

  async function validated(
    { url, authorizationUrls }: AcmeOrder,
    answer = (right: string) => right,
  ): Promise<AcmeOrder> {
    const { authority } = side;
    for (const one of authorizationUrls) {
      const { challenges, status } = await client.authorization(one);
      // An authority may remember that a name was validated.
      if (status === 'valid') continue;
      const { token, url: challenge } = challenges.find(({ type }) => type === 'http-01')!;
      authority.shown = new Map([...authority.shown, [token!, answer(authority.keyAuthorization(token!, key))]]);
      await client.answerChallenge(challenge);
    }
    return await eventually('the order is decided', async () => {
      const now = await client.order(url);
      return now.status !== 'pending' && now;
    });
  }

  async function issued(names: readonly string[], more: { profile?: string; replaces?: string } = {}) {
    const ready = await validated(await order(names, more));
    expect(ready.status).toBe('ready');
    const certificateKey = newKey().privateKey;
    await client.finalize(ready.finalizeUrl, side.authority.createCsr(names, certificateKey));
    const valid = await eventually('it is issued', async () => {
      const now = await client.order(ready.url);
      return now.status === 'valid' && now;
    });
    return { pem: await client.certificate(valid.certificateUrl!), certificateKey, order: valid };
  }

  it('issues for the names and the key that were asked for, and hands it out again', async () => {
    const names = ['a.example', 'b.example'];
    const { pem, certificateKey, order: valid } = await issued(names);
    const leaf = new X509Certificate(pem);
    expect(names.every((name) => leaf.checkHost(name) === name)).toBe(true);
    expect(leaf.publicKey.equals(createPublicKey(certificateKey))).toBe(true);
    expect(await client.certificate(valid.certificateUrl!)).toBe(pem);
  });

  it('refuses to issue before the names are validated', async () => {
    const { finalizeUrl } = await order(['early.example']);
    const csr = side.authority.createCsr(['early.example'], newKey().privateKey);
    await expect(client.finalize(finalizeUrl, csr)).rejects.toMatchObject({ problem: { type: 'orderNotReady' } });
  });

  it('ends an order whose challenge gets a wrong answer, and says why at the challenge', async () => {
    const created = await order(['wrong.example']);
    expect((await validated(created, () => 'wrong')).status).toBe('invalid');
    const { status, challenges } = await client.authorization(created.authorizationUrls[0]!);
    expect(status).toBe('invalid');
    expect(challenges.find(({ type }) => type === 'http-01')?.problem).toMatchObject({ type: expect.any(String) });
  });

  it('states a limit with its end', async () => {
    side.limitNextOrder(3_600);
    const refused = await order(['limited.example']).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'AcmeRefusal', problem: { type: 'rateLimited', status: 429 } });
    const { retryAfter } = refused as { retryAfter: Date };
    expect(Math.abs(retryAfter.getTime() - Date.now() - 3_600_000)).toBeLessThan(60_000);
  });

  it('has carried out a request whose reply was lost', async () => {
    const ready = await validated(await order(['lost.example']));
    side.loseNext('finalize');
    const csr = side.authority.createCsr(['lost.example'], newKey().privateKey);
    await expect(client.finalize(ready.finalizeUrl, csr)).rejects.toMatchObject({ name: 'AcmeUnreachable' });
    await eventually('it is issued', async () => (await client.order(ready.url)).certificateUrl !== null);
    side.loseNext('createOrder');
    await expect(order(['lost.example'])).rejects.toMatchObject({ name: 'AcmeUnreachable' });
  });

  it('names the window of a certificate, and replaces it once', async () => {
    const { pem } = await issued(['renewed.example']);
    const window = { start: new Date(1_900_000_000_000), end: new Date(1_900_086_400_000) };
    side.window(window);
    const id = side.authority.renewalId(pem)!;
    expect((await client.directory()).renewalInfo).toBe(true);
    expect(await client.renewalInfo(id)).toMatchObject({ ...window, retryAfter: expect.any(Date) });
    await issued(['renewed.example'], { replaces: id });
    const again = order(['renewed.example'], { replaces: id });
    await expect(again).rejects.toMatchObject({ problem: { type: 'alreadyReplaced', status: 409 } });
  });

  it('issues with a profile that it has, and with no other', async () => {
    expect([...(await client.directory()).profiles.keys()]).toContain('default');
    await issued(['profile.example'], { profile: 'default' });
    const refused = order(['profile.example'], { profile: 'none' });
    await expect(refused).rejects.toMatchObject({ problem: { type: 'invalidProfile' } });
  });

  it('knows no order of another address', async () => {
    const { url } = await order(['known.example']);
    const unknown = client.order(`${url}x`);
    await expect(unknown).rejects.toMatchObject({ name: 'AcmeRefusal', problem: { status: 404 } });
  });
}

describe('the authority of the tests', () => {
  contract(
    async () => {
      const authority = new FakeAuthority(() => new Date());
      authority.validationMs = () => 0;
      return {
        authority,
        limitNextOrder: (seconds) => {
          const before = authority.limits;
          authority.limits = { ...before, orders: { most: 1, withinMs: seconds * 1_000 } };
          authority.refused = () => {
            authority.limits = before;
          };
        },
        loseNext: (operation) => {
          authority.after = (asked) => {
            if (asked !== operation) return;
            authority.after = () => undefined;
            throw unreachable();
          };
        },
        window: (window) => {
          authority.window = () => window;
        },
      };
    },
    async () => undefined,
  );
});

describeWithPebble('a real authority behind a front end', () => {
  let web: PebbleWithWeb | undefined;
  let front: AcmeFront | undefined;
  contract(
    async () => {
      web = await PebbleWithWeb.start();
      front = await AcmeFront.start(web.pebble);
      const started = front;
      return {
        authority: new PebbleAuthority(web, started),
        limitNextOrder: (seconds) => {
          started.failNext('createOrder', problem(429, 'rateLimited', 'too many new orders', String(seconds)));
        },
        loseNext: (operation) => {
          started.failNext(operation, 'lost');
        },
        window: (window) => {
          started.window = () => window;
        },
      };
    },
    async () => {
      await front?.stop();
      await web?.stop();
    },
  );
});

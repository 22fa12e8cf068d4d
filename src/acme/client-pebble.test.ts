import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPebble, Pebble } from '../../testkit/acme/pebble.ts';
import { eventually } from '../../testkit/conditions.ts';
import { signingRequest } from '../x509/csr.ts';
import { type AcmeOrder, AcmeRefusal } from './authority.ts';
import { type ClientOptions, createAcmeClient } from './client.ts';
import { keyAuthorization } from './jws.ts';

const p256 = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
const account = { contacts: ['mailto:ops@example.com'], termsAgreed: true, externalAccount: null };

describeWithPebble('an authority', () => {
  const answers = new Map<string, string>();
  let web: Server;
  let pebble: Pebble;
  beforeAll(async () => {
    web = createServer((request, response) => {
      const answer = answers.get(request.url?.split('/').at(-1) ?? '');
      response.writeHead(answer === undefined ? 404 : 200).end(answer);
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    pebble = await Pebble.start({ httpPort: (web.address() as AddressInfo).port, refusedNonces: 50 });
  });
  afterAll(async () => {
    await pebble?.stop();
    web.closeAllConnections();
    web.close();
  });
  const clientOf = (accountKey: KeyObject, more: Partial<ClientOptions> = {}) =>
    createAcmeClient({
      directory: pebble.directory,
      roots: pebble.roots,
      userAgent: 'proxy-manager-test',
      accountKey,
      pausesMs: [10, 20],
      ...more,
    });

  async function prove(client: ReturnType<typeof clientOf>, order: AcmeOrder, key: KeyObject): Promise<AcmeOrder> {
    for (const url of order.authorizationUrls) {
      const { challenges } = await client.authorization(url);
      const challenge = challenges.find(({ type }) => type === 'http-01')!;
      answers.set(challenge.token!, keyAuthorization(challenge.token!, key));
      await client.answerChallenge(challenge.url);
      await eventually('it is validated', async () => (await client.authorization(url)).status !== 'pending');
    }
    return await client.order(order.url);
  }

  it('that refuses half of the nonces issues a certificate for what was asked', async () => {
    const key = p256();
    const client = clientOf(key);
    expect(await client.directory()).toMatchObject({ externalAccountRequired: false, renewalInfo: false });
    await client.register(account);
    const names = ['shop.example.com', 'www.example.com'];
    const order = await client.createOrder({ names, profile: null, replaces: null });
    expect(order).toMatchObject({ status: 'pending', names: expect.arrayContaining(names), certificateUrl: null });
    expect(await prove(client, order, key)).toMatchObject({ status: 'ready' });
    const privateKey = p256();
    await client.finalize(order.finalizeUrl, signingRequest(names, privateKey));
    const url = await eventually('it is issued', async () => (await client.order(order.url)).certificateUrl);
    const chain = await client.certificate(url);
    const leaf = new X509Certificate(chain);
    expect(leaf.subjectAltName?.split(', ').sort()).toEqual(names.map((name) => `DNS:${name}`));
    expect(leaf.publicKey.equals(createPublicKey(privateKey))).toBe(true);
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    client.close();
  });

  it('knows the account of a key again', async () => {
    const [first, second] = [clientOf(p256()), clientOf(p256())];
    const key = p256();
    const [one, other] = [clientOf(key), clientOf(key)];
    const { url } = await one.register(account);
    expect(await other.register(account)).toEqual({ url, status: 'valid' });
    expect((await first.register(account)).url).not.toBe((await second.register(account)).url);
    for (const client of [first, second, one, other]) client.close();
  });

  it('says in its own words why it refuses', async () => {
    const client = clientOf(p256());
    await client.register(account);
    const refused = client.createOrder({ names: ['bad_name.example'], profile: null, replaces: null });
    await expect(refused).rejects.toThrow(AcmeRefusal);
    await expect(refused).rejects.toMatchObject({
      problem: { type: 'malformed', status: 400, detail: expect.stringContaining('illegal character') },
    });
    const key = p256();
    const wrong = clientOf(key);
    await wrong.register(account);
    const order = await wrong.createOrder({ names: ['wrong.example.com'], profile: null, replaces: null });
    expect(await prove(wrong, order, p256())).toMatchObject({ status: 'invalid' });
    const { challenges } = await wrong.authorization(order.authorizationUrls[0]!);
    expect(challenges.find(({ type }) => type === 'http-01')?.problem).toMatchObject({ type: 'unauthorized' });
    await expect(
      wrong.finalize(order.finalizeUrl, signingRequest(['wrong.example.com'], p256())),
    ).rejects.toMatchObject({ problem: { type: 'orderNotReady' } });
    for (const one of [client, wrong]) one.close();
  });

  it('that the roots do not cover is not trusted', async () => {
    const client = clientOf(p256(), { roots: null });
    await expect(client.directory()).rejects.toMatchObject({
      name: 'AcmeUnreachable',
      message: expect.stringMatching(/localhost.*certificate/),
    });
    client.close();
  });
});

describeWithPebble('an authority with its own customers', () => {
  it('makes an account only for one of them', async () => {
    const hmacKey = Buffer.alloc(32, 7);
    const pebble = await Pebble.start({
      httpPort: 1,
      externalAccounts: { 'customer-1': hmacKey.toString('base64url') },
    });
    try {
      const client = createAcmeClient({
        directory: pebble.directory,
        roots: pebble.roots,
        userAgent: 'proxy-manager-test',
        accountKey: p256(),
      });
      expect(await client.directory()).toMatchObject({ externalAccountRequired: true });
      await expect(client.register(account)).rejects.toMatchObject({ problem: { type: 'externalAccountRequired' } });
      const externalAccount = { kid: 'customer-1', hmacKey };
      await expect(
        client.register({ ...account, externalAccount: { ...externalAccount, hmacKey: Buffer.alloc(32) } }),
      ).rejects.toThrow(AcmeRefusal);
      expect(await client.register({ ...account, externalAccount })).toMatchObject({ status: 'valid' });
      client.close();
    } finally {
      await pebble.stop();
    }
  });
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { selfSigned } from '../../testkit/tls/uploads.ts';
import { challengesNotReady } from '../blocking/challenge-set.ts';
import { codes } from '../errors/catalogue.ts';
import { AcmeOperations } from './acme-operations.ts';

let kit: IssuanceKit;
let operations: AcmeOperations;
let unserved: string | Error | null;
beforeEach(async () => {
  kit = await IssuanceKit.open();
  unserved = null;
  operations = new AcmeOperations({
    issuance: kit.issuance,
    owners: (names) => kit.certificates.owners(names),
    namesOf: async (id) => (await kit.certificates.get(id))?.names ?? null,
    hasDnsHook: false,
    whyNotServed: async () => {
      if (unserved instanceof Error) throw unserved;
      return unserved;
    },
    emit: () => undefined,
  });
});
afterEach(() => kit.remove());

const requested = (...names: string[]) => operations.request(names, {}, caller);

async function uploaded(...names: string[]): Promise<string> {
  const outcome = await kit.certificates.create(selfSigned(names, { now: new Date(kit.now) }), {}, caller);
  if (!outcome.ok) throw new Error(outcome.kind);
  return outcome.certificate.id;
}

it('orders under the id of an uploaded certificate that has no other names, and under a new one', async () => {
  const id = await uploaded('a.example');
  expect(await requested('a.example', 'b.example')).toMatchObject({ id });
  await kit.untilIdle();
  expect(await kit.certificates.get(id)).toMatchObject({
    ...{ source: 'acme', version: 2, names: ['a.example', 'b.example'] },
  });
  expect((await requested('c.example')).id).not.toBe(id);
  await expect(requested('b.example', 'a.example')).rejects.toMatchObject({ code: 6059, members: { certificate: id } });
});

it('orders again after the renewal was stopped, with the same id', async () => {
  const { id } = await requested('a.example');
  await kit.untilIdle();
  await operations.stop(id, caller);
  expect(await requested('a.example')).toMatchObject({ id });
  await kit.untilIdle();
  expect(await kit.certificates.get(id)).toMatchObject({ version: 2 });
});

it('refuses names of which another would lose its certificate, or that belong to several', async () => {
  const id = await uploaded('a.example', 'b.example');
  await uploaded('c.example');
  const owned = [{ name: 'a.example', certificate: id }];
  await expect(requested('a.example')).rejects.toMatchObject({ code: 6042, members: { owned } });
  await expect(requested('a.example', 'b.example', 'c.example')).rejects.toMatchObject({ code: 6042 });
  const { id: renewed } = await requested('d.example');
  await kit.untilIdle();
  await expect(requested('d.example', 'e.example')).rejects.toMatchObject({
    members: { owned: [{ name: 'd.example', certificate: renewed }] },
  });
});

it('refuses a name for which another certificate is ordered, and stores nothing', async () => {
  const { id } = await requested('a.example', 'b.example');
  await expect(requested('b.example', 'c.example')).rejects.toMatchObject({
    code: 6060,
    members: { owned: [{ name: 'b.example', certificate: id }] },
  });
  expect(await kit.wanted.all()).toHaveLength(1);
});

it('a wildcard is refused without a hook, and by http-01', async () => {
  await expect(requested('shop.example', '*.shop.example')).rejects.toMatchObject({ code: codes.DnsHookMissing });
  await expect(operations.request(['*.shop.example'], { challenge: 'http-01' }, caller)).rejects.toMatchObject({
    code: codes.InvalidParameter,
    fields: [{ name: 'names[0]' }],
  });
  expect(await kit.issuance.all()).toEqual([]);
});

it('a certificate that HAProxy would not serve is refused, and nothing is asked of the authority', async () => {
  unserved = 'no bind line of proxy.cfg uses the list';
  await expect(requested('shop.example')).rejects.toMatchObject({
    code: codes.CertificateListUnused,
    message: 'nothing is ordered: no bind line of proxy.cfg uses the list',
  });
  expect([await kit.issuance.all(), kit.authority.requests]).toEqual([[], []]);
});

it('nor is anything ordered while the configuration cannot be read', async () => {
  unserved = new Error('EACCES: permission denied');
  await expect(requested('shop.example')).rejects.toMatchObject({
    code: codes.CertificateListUnused,
    message: 'nothing is ordered: the configuration could not be read: EACCES: permission denied',
  });
  expect([await kit.issuance.all(), kit.authority.requests]).toEqual([[], []]);
});

it('challenges that would not be answered are refused before anything is stored', async () => {
  kit.showing = () => {
    throw new Error('status 403');
  };
  await expect(requested('shop.example')).rejects.toMatchObject({
    code: codes.ChallengesNotShown,
    message: 'nothing is ordered: the challenge cannot be answered: status 403',
  });
  expect(await kit.issuance.all()).toEqual([]);
});

it('a state that passes is no refusal: the same request may succeed later', async () => {
  kit.showing = () => {
    throw challengesNotReady('current worker 7: new worker, not compared yet');
  };
  await expect(requested('shop.example')).rejects.toMatchObject({
    code: codes.ChallengesNotReady,
    op: 'request certificate',
    message: 'nothing is ordered: the challenge cannot be answered: current worker 7: new worker, not compared yet',
    retryAfterSeconds: 5,
  });
  expect(await kit.issuance.all()).toEqual([]);
  kit.showing = () => undefined;
  await requested('shop.example');
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { NOON, StoreFolder } from '../../testkit/store/store-folder.ts';
import { AcmeCertificatesStore } from './acme-certificates-store.ts';
import { AcmeFactsStore } from './acme-facts-store.ts';
import { AcmeOrdersStore, type IssuanceOrder } from './acme-orders-store.ts';
import type { Database } from './open-database.ts';

const HOUR = 3_600_000;
const DAY = 24;
const at = (hours: number) => new Date(NOON.getTime() + hours * HOUR);
const directory = 'https://ca.example/directory';
const issues = [{ most: 4, withinMs: 7 * DAY * HOUR }];

let folder: StoreFolder;
let database: Database;
let wanted: AcmeCertificatesStore;
let orders: AcmeOrdersStore;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  wanted = new AcmeCertificatesStore(database);
  orders = new AcmeOrdersStore(database);
  await want('c-a', 'a.example');
});
afterEach(() => folder.remove());

async function want(id: string, ...names: readonly string[]): Promise<void> {
  await wanted.add({ id, directory, names, challenge: 'http-01', profile: null }, at(0));
}

const planned = async (id: string, hours: number, of = directory) => {
  const plan = { directory: of, profile: null, replaces: null, issues, failedValidations: { most: 9, withinMs: HOUR } };
  const outcome = await wanted.plan((await wanted.get(id))!, plan, at(hours));
  if (outcome === null) throw new Error('not planned');
  return outcome;
};

async function begun(id: string, hours: number, of = directory): Promise<IssuanceOrder> {
  const outcome = await planned(id, hours, of);
  if (!outcome.ok) throw new Error('limited');
  return outcome.order;
}

async function fails(id: string, hours: number): Promise<void> {
  const order = await begun(id, hours);
  const problem = { class: 'will retry', type: 'dns', detail: 'no such name', subproblems: [], advice: null } as const;
  const end = { dueAt: at(hours + 1), dueBy: 'retry', failedNames: [], notIssued: false } as const;
  await orders.fail(order, { problem: { ...problem, at: at(hours).toISOString() }, ...end }, at(hours));
}

async function isIssued(id: string, hours: number, of = directory): Promise<void> {
  const order = await begun(id, hours, of);
  const finalizing = { state: 'finalizing', finalizedAt: at(hours) } as const;
  await orders.step(order.id, finalizing, at(hours));
  const next = { dueAt: at(hours + 60 * DAY), ariId: null, ariPollAt: null };
  await database.write.transaction().execute((transaction) => wanted.stored(transaction, order, next, at(hours)));
}

async function failsHourly(id: string, from: number, count: number): Promise<void> {
  for (let hours = from; hours < from + count; hours += 1) await fails(id, hours);
}

const idsOf = async (certificate: string) => (await orders.ofCertificate(certificate, 9_999)).map(({ id }) => id);

it('all orders of the last 8 days are kept', async () => {
  await failsHourly('c-a', 0, 70);
  await fails('c-a', 8 * DAY - 1);
  expect(await idsOf('c-a')).toHaveLength(71);
});

it('of older ones the newest 50 are kept, and the first failure since the last certificate', async () => {
  await isIssued('c-a', 0);
  await fails('c-a', 1);
  await isIssued('c-a', 2);
  await failsHourly('c-a', 3, 70);
  const waitingSince = async () => (await new AcmeFactsStore(database).totals(at(20 * DAY))).waitingSince;
  const since = await waitingSince();
  expect(since).toEqual(at(3));
  await fails('c-a', 20 * DAY);
  const [newest = 0, ...kept] = await idsOf('c-a');
  expect([kept.length, kept[0]! - kept[49]!]).toEqual([50 + 3, 49]);
  // The issues, which are the newest four that count for a limit, and the first failure.
  expect(kept.slice(50)).toEqual([4, 3, 1]);
  expect(newest).toBe(74);
  expect(await waitingSince()).toEqual(since);
});

it('what counts for a limit is kept while the clock is ahead', async () => {
  for (const hours of [0, 1, 2, 3]) await isIssued('c-a', hours);
  expect(await planned('c-a', 5)).toMatchObject({ ok: false, until: at(7 * DAY) });
  await failsHourly('c-a', 100 * DAY, 60);
  expect(await planned('c-a', 6)).toMatchObject({ ok: false, until: at(7 * DAY) });
});

it('so is what counts for the limit of another authority', async () => {
  for (const hours of [0, 1, 2, 3]) await isIssued('c-a', hours, 'https://staging.example/directory');
  for (const hours of [4, 5, 6, 7]) await isIssued('c-a', hours);
  await failsHourly('c-a', 100 * DAY, 60);
  const until = at(7 * DAY);
  expect(await planned('c-a', 8, 'https://staging.example/directory')).toMatchObject({ ok: false, until });
  expect(await planned('c-a', 9)).toMatchObject({ ok: false, until: at(7 * DAY + 4) });
  expect(await planned('c-a', 9, 'https://third.example/directory')).toMatchObject({ ok: true });
});

it('an order is kept while its TXT records may be there, and while it is open', async () => {
  await want('c-b', 'b.example');
  const open = await begun('c-b', 0);
  const order = await begun('c-a', 0);
  const challenge = { type: 'dns-01', name: 'a.example', token: 'T', keyAuthorization: 'T.x' } as const;
  const urls = { authorizationUrl: 'https://ca.example/1', challengeUrl: 'https://ca.example/2' };
  await orders.step(order.id, { state: 'showing', challenges: [{ ...challenge, ...urls }] }, at(0));
  await wanted.remove('c-a', at(1));
  await want('c-a', 'a.example');
  await isIssued('c-a', 2);
  await failsHourly('c-a', 3, 60);
  await fails('c-a', 30 * DAY);
  await wanted.remove('c-b', at(30 * DAY));
  expect(await idsOf('c-a')).toContain(order.id);
  expect(await idsOf('c-b')).toEqual([open.id]);
  await orders.recordsRemoved(order.id);
  await fails('c-a', 31 * DAY);
  expect(await idsOf('c-a')).not.toContain(order.id);
});

it('orders of a certificate that was removed go after 8 days, when another is removed or ordered', async () => {
  await want('c-b', 'b.example');
  await want('c-d', 'd.example');
  await failsHourly('c-a', 0, 3);
  await wanted.remove('c-a', at(3));
  await fails('c-b', 8 * DAY);
  expect(await idsOf('c-a')).toHaveLength(3);
  await fails('c-b', 8 * DAY + 2);
  expect(await idsOf('c-a')).toHaveLength(1);
  await wanted.remove('c-d', at(9 * DAY));
  expect(await idsOf('c-a')).toEqual([]);
  expect(await idsOf('c-b')).toHaveLength(2);
});

it('an open order of a certificate that is not wanted is kept', async () => {
  const order = await begun('c-a', 0);
  await database.write.deleteFrom('acme_certificates').execute();
  await want('c-b', 'b.example');
  await fails('c-b', 30 * DAY);
  expect(await idsOf('c-a')).toEqual([order.id]);
});

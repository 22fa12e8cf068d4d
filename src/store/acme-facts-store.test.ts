import { afterEach, beforeEach, expect, it } from 'vitest';
import { NOON, StoreFolder } from '../../testkit/store/store-folder.ts';
import { AcmeCertificatesStore } from './acme-certificates-store.ts';
import { AcmeFactsStore } from './acme-facts-store.ts';
import { AcmeOrdersStore, type IssuanceOrder } from './acme-orders-store.ts';
import type { FailureClass, IssuanceProblem } from './issuance-problem.ts';
import type { Database } from './open-database.ts';

const HOUR = 3_600_000;
const at = (hours: number) => new Date(NOON.getTime() + hours * HOUR);
const directory = 'https://ca.example/directory';
let folder: StoreFolder;
let database: Database;
let wanted: AcmeCertificatesStore;
let orders: AcmeOrdersStore;
let facts: AcmeFactsStore;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  wanted = new AcmeCertificatesStore(database);
  orders = new AcmeOrdersStore(database);
  facts = new AcmeFactsStore(database);
  for (const letter of ['a', 'b', 'c']) {
    const request = { id: `c-${letter}`, names: [`${letter}.example`], directory, challenge: 'http-01', profile: null };
    await wanted.add(request as Parameters<AcmeCertificatesStore['add']>[0], at(0));
  }
});
afterEach(() => folder.remove());

const problem = (failure: FailureClass): IssuanceProblem => ({
  class: failure,
  type: 'dns',
  detail: 'no such name',
  subproblems: [],
  advice: null,
  at: at(0).toISOString(),
});

async function fails(id: string, hours: number, failure: FailureClass, dueAt: Date): Promise<void> {
  const failedValidations = { most: 9, withinMs: HOUR };
  const plan = { directory, profile: null, replaces: null, issues: [], failedValidations };
  const planned = await wanted.plan((await wanted.get(id))!, plan, at(hours));
  const order = (planned as { order: IssuanceOrder }).order;
  const end = { problem: problem(failure), dueAt, dueBy: 'retry', failedNames: [], notIssued: true } as const;
  await orders.fail(order, end, at(hours));
}

async function renewedLater(id: string): Promise<void> {
  await database.write
    .updateTable('acme_certificates')
    .set({ due_at: at(90).toISOString(), due_by: 'age' })
    .where('id', '=', id)
    .execute();
}

it('counts by problem, and knows since when one waits', async () => {
  expect(await facts.totals(at(-1))).toEqual({ total: 3, byClass: new Map(), due: 0, waitingSince: null });
  await renewedLater('c-c');
  expect(await facts.totals(at(2))).toEqual({ total: 3, byClass: new Map(), due: 2, waitingSince: at(0) });
  await renewedLater('c-a');
  // Its next order is later than its first failure.
  await fails('c-b', 1, 'will retry', at(3));
  await fails('c-b', 3, 'will retry', at(6));
  await fails('c-c', 4, 'needs attention', at(28));
  const byClass = new Map([
    ['needs attention', 1],
    ['will retry', 1],
  ]);
  expect(await facts.totals(at(5))).toEqual({ total: 3, byClass, due: 0, waitingSince: at(1) });
});

it('lists what is due or has a problem', async () => {
  await renewedLater('c-a');
  await fails('c-b', 1, 'needs attention', at(25));
  expect((await facts.unrenewed(at(2), 10)).map(({ id }) => id)).toEqual(['c-b', 'c-c']);
  expect(await facts.unrenewed(at(2), 1)).toEqual([
    { id: 'c-b', names: ['b.example'], dueAt: at(25), problem: problem('needs attention'), life: null },
  ]);
  expect((await facts.unrenewed(at(-1), 10)).map(({ id }) => id)).toEqual(['c-b']);
});

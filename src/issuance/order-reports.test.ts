import { afterEach, beforeEach, expect, it } from 'vitest';
import { problemOf } from '../../testkit/issuance/fake-authority.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import type { Emit } from '../events/facts.ts';
import { OrderReports } from './order-reports.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let kit: IssuanceKit;
let reports: OrderReports;
let failing: { readonly at: number; readonly id: string }[];
let issued: number;
let dies: boolean;
beforeEach(async () => {
  kit = await IssuanceKit.open();
  [failing, issued, dies] = [[], 0, false];
  const emit = ((type: string, { id }: { readonly id: string }) => {
    if (dies) throw new Error('it died');
    if (type === 'certificate.failing') failing.push({ at: kit.now, id });
    else issued += 1;
  }) as Emit;
  const log = { info: () => undefined, warn: (...words: unknown[]) => void kit.logged.push(words.join()) };
  reports = new OrderReports({
    ...{ wanted: kit.wanted, observer: { ordered: () => undefined }, emit, log, now: () => new Date(kit.now) },
  });
});
afterEach(() => kit.remove());

/** Orders end, and are reported, until the clock has passed `ms`. */
async function pass(ms: number): Promise<void> {
  const ends: (() => Promise<void>)[] = [];
  kit.onEnded = (...end) => void ends.push(async () => await reports.ended(...end));
  await kit.pass(ms, async () => {
    for (const end of ends.splice(0)) await end();
  });
}

/** Hours between the reports of a certificate. */
function hoursApart(of: string): readonly number[] {
  const at = failing.filter(({ id }) => id === of).map((one) => one.at);
  return at.slice(1).map((one, index) => (one - at[index]!) / HOUR);
}

it('certificates whose orders fail each hour are reported about once a day each', async () => {
  kit.authority.validation = () => problemOf('connection', 'refused');
  const ids = [await kit.request('a.example'), await kit.request('b.example')];
  await kit.pass(5 * MINUTE);
  const failed = await Promise.all(ids.map(async (id) => (await kit.issuance.attempts(id, 1))[0]!));
  for (let hours = 0; hours < 100; hours += 1, kit.now += HOUR) {
    for (const order of failed) await reports.ended(order, order.problem);
  }
  for (const id of ids) expect(hoursApart(id)).toEqual([19, 19, 19, 19, 19]);
});

it('one whose order fails each day is reported each time', async () => {
  kit.authority.validation = () => problemOf('caa', 'a CAA record forbids it');
  const id = await kit.request('a.example');
  await pass(10 * DAY);
  const failed = (await kit.issuance.attempts(id, 99)).length;
  expect(failed).toBeGreaterThan(8);
  expect(failing).toHaveLength(failed);
});

it('after it was issued, the next failure is reported at once', async () => {
  kit.authority.validation = () => problemOf('connection', 'refused');
  const id = await kit.request('a.example');
  await pass(HOUR);
  expect(failing).toHaveLength(1);
  kit.authority.validation = () => null;
  await pass(2 * HOUR);
  expect(issued).toBe(1);
  kit.authority.validation = () => problemOf('connection', 'refused');
  await kit.issuance.renew(id, caller);
  await pass(MINUTE);
  expect(failing).toHaveLength(2);
});

it('what was not emitted before a crash is reported with the next failure', async () => {
  kit.authority.validation = () => problemOf('connection', 'refused');
  await kit.request('a.example');
  dies = true;
  await pass(MINUTE);
  expect(failing).toEqual([]);
  dies = false;
  await pass(HOUR);
  expect(failing).toHaveLength(1);
});

it('what an operator has to correct is reported at once, and once', async () => {
  kit.authority.validation = () => problemOf('connection', 'refused');
  const id = await kit.request('a.example');
  await pass(MINUTE);
  kit.authority.validation = () => problemOf('caa', 'a CAA record forbids it');
  await pass(30 * MINUTE);
  expect(failing).toHaveLength(2);
  await kit.issuance.renew(id, caller);
  await pass(MINUTE);
  expect(await kit.wanted.get(id)).toMatchObject({ failures: 3 });
  expect(failing).toHaveLength(2);
  kit.authority.validation = () => problemOf('connection', 'refused');
  await pass(12 * HOUR);
  expect(failing).toHaveLength(2);
});

it('a report while the clock was ahead does not keep the next one back', async () => {
  kit.authority.validation = () => problemOf('connection', 'refused');
  const id = await kit.request('a.example');
  await kit.wanted.failingReported(id, new Date(kit.now + 30 * DAY));
  await pass(MINUTE);
  expect(failing).toHaveLength(1);
});

// What a client does most of the time.
import { type Client, isLate, type Json } from './client.ts';
import type { Presence } from './model.ts';
import { prefixOf } from './territory.ts';

export type Operation = (client: Client) => Promise<void>;

const pagesAtMost = 4;

/** Names in the figures; each must occur. */
export const lightNames = ['block', 'unblock', 'get', 'check', 'search', 'list', 'visit', 'batch'] as const;

/** Relative frequencies. */
export const light: readonly (readonly [share: number, operation: Operation])[] = [
  [62, change],
  [10, look],
  [10, check],
  [5, ownList],
  [3, anyPage],
  [8, visitOwn],
  [2, smallBatch],
];

/** Mostly changes the state; sometimes repeats it. */
async function change(client: Client): Promise<void> {
  const address = client.random.pick(client.addresses);
  const presence = client.model.of(address);
  const again = client.random.next() < 0.05;
  if ((presence === 'blocked') === again) await block(client, address);
  else await unblock(client, address);
}

export async function block(client: Client, address: string, more: Json = {}): Promise<Json | null> {
  const before = client.model.of(address);
  const end = client.model.begin(address);
  const answer = await client.ask('block', 'POST', '/api/blocked-ips', [200, 201], {
    body: { ip_address: address, reason: `load ${client.number}`, ...more },
  });
  // Until every worker is verified, HAProxy may do either.
  end(answer === null || isLate(answer) ? 'either' : 'blocked');
  if (answer === null) return null;
  client.expectProved('block', answer);
  client.expect('block', 'ip_address', answer.ip_address, address);
  if (!settled(client, address, before, 'blocked')) return answer;
  client.expect(
    'block',
    `status for ${address}, which was ${before}`,
    answer.status_code,
    before === 'free' ? 201 : 200,
  );
  if (sometimes(client, address)) await expectVisit(client, address, 403);
  return answer;
}

export async function unblock(client: Client, address: string): Promise<void> {
  const before = client.model.of(address);
  const end = client.model.begin(address);
  const answer = await client.ask('unblock', 'DELETE', `/api/blocked-ips/${address}`, [200, 404]);
  end(answer === null || isLate(answer) ? 'either' : 'free');
  if (answer === null) return;
  if (answer.status_code === 200) client.expectProved('unblock', answer);
  if (!settled(client, address, before, 'free')) return;
  client.expect(
    'unblock',
    `status for ${address}, which was ${before}`,
    answer.status_code,
    before === 'blocked' ? 200 : 404,
  );
  if (answer.status_code === 404) client.expect('unblock', 'stray_removed', answer.stray_removed, false);
  if (sometimes(client, address)) await expectVisit(client, address, 200);
}

/** Not a guest, which may be trusted. */
function sometimes(client: Client, address: string): boolean {
  return client.addresses.includes(address) && client.random.next() < 0.15;
}

/** False: an overlapping `PUT` may have come before or after. */
function settled(client: Client, address: string, before: Presence, after: Presence): boolean {
  return client.tally.mayJudge(before !== 'either' && client.model.of(address) === after);
}

export async function expectVisit(client: Client, address: string, status: 200 | 403): Promise<void> {
  const before = client.model.of(address);
  const seen = await client.visit(address);
  if (seen === null) return;
  // A `PUT` with another outcome may have begun meanwhile.
  if (!client.tally.mayJudge(client.model.of(address) === before && before !== 'either')) return;
  if (seen !== status) {
    // For the diagnosis.
    const said = await client.ask('check', 'GET', `/api/check/${address}`, [200]);
    client.tally.wrong('visit', `from ${address}, which is ${before}: ${seen}, not ${status}; ${JSON.stringify(said)}`);
  }
}

async function visitOwn(client: Client): Promise<void> {
  const address = client.random.pick(client.addresses);
  await expectVisit(client, address, client.model.of(address) === 'blocked' ? 403 : 200);
}

async function look(client: Client): Promise<void> {
  const address = client.random.pick(client.addresses);
  const before = client.model.of(address);
  const answer = await client.ask('get', 'GET', `/api/blocked-ips/${address}`, [200, 404]);
  if (answer === null) return;
  const there = answer.status_code === 200;
  client.expectSeen('get', address, before, there ? 'blocked' : 'free');
  if (!there || client.model.of(address) !== 'blocked' || before !== 'blocked') return;
  for (const { holds, pid } of answer.workers as { holds: boolean | null; pid: number }[]) {
    // Null: not checked, because of a reload.
    if (holds === false) client.tally.wrong('get', `worker ${pid} does not hold ${address}`);
  }
}

async function check(client: Client): Promise<void> {
  const address = client.random.pick(client.addresses);
  const before = client.model.of(address);
  const answer = await client.ask('check', 'GET', `/api/check/${address}`, [200]);
  if (answer === null) return;
  client.expectSeen('check', address, before, answer.verdict === 'blocked' ? 'blocked' : 'free');
  if (client.model.of(address) === before && before !== 'either' && answer.enforced === false) {
    client.tally.wrong('check', `${address} is not enforced: ${JSON.stringify(answer)}`);
  }
}

/** Page by page during changes: an unchanged entry is listed exactly once, or never. */
async function ownList(client: Client): Promise<void> {
  const before = new Map(client.addresses.map((address) => [address, client.model.of(address)]));
  const seen: string[] = [];
  let cursor = '';
  for (;;) {
    const query = `limit=${client.random.integer(5, 30)}&q=${prefixOf(client.number)}${cursor}`;
    const page = await client.ask('search', 'GET', `/api/blocked-ips?${query}`, [200]);
    if (page === null) return;
    seen.push(...addressesOf(page));
    if (typeof page.next_cursor !== 'string') break;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
  const found = new Set(seen);
  if (found.size < seen.length) client.tally.wrong('search', `an address came twice: ${seen.join(' ')}`);
  for (const [address, presence] of before) {
    client.expectSeen('search', address, presence, found.has(address) ? 'blocked' : 'free');
  }
}

/** Pages of unpredictable content, but ascending and without duplicates. */
async function anyPage(client: Client): Promise<void> {
  const seen: string[] = [];
  let cursor = '';
  for (let page = 0; page < pagesAtMost; page += 1) {
    const limit = client.random.pick([10, 100, 1_000]);
    const answer = await client.ask('list', 'GET', `/api/blocked-ips?limit=${limit}${cursor}`, [200]);
    if (answer === null) return;
    const items = addressesOf(answer);
    if (items.length > limit) client.tally.wrong('list', `${items.length} items with limit=${limit}`);
    seen.push(...items);
    if (typeof answer.next_cursor !== 'string') {
      if (items.length === limit) break;
      if (Number(answer.total) > seen.length + 5_000)
        client.tally.wrong('list', `ends after ${seen.length} of ${answer.total}`);
      break;
    }
    if (items.length !== limit)
      client.tally.wrong('list', `${items.length} items with limit=${limit}, and a next page`);
    cursor = `&cursor=${encodeURIComponent(answer.next_cursor)}`;
  }
  if (new Set(seen).size < seen.length) client.tally.wrong('list', 'an address came twice');
}

async function smallBatch(client: Client): Promise<void> {
  await batch(
    client,
    'batch',
    client.addresses.filter(() => client.random.next() < 0.5),
  );
}

/** Inverts each of them. */
export async function batch(client: Client, operation: string, addresses: readonly string[]): Promise<void> {
  const before = new Map(addresses.map((address) => [address, client.model.of(address)]));
  const remove = addresses.filter((address) => before.get(address) === 'blocked');
  const add = addresses.filter((address) => before.get(address) !== 'blocked');
  if (add.length + remove.length === 0) return;
  const ends = addresses.map((address) => ({ address, end: client.model.begin(address) }));
  const answer = await client.ask(operation, 'POST', '/api/blocked-ips/batch', [200], { body: { add, remove } });
  const wanted = (address: string): Presence => (before.get(address) === 'blocked' ? 'free' : 'blocked');
  for (const { address, end } of ends) end(answer === null || isLate(answer) ? 'either' : wanted(address));
  if (answer === null) return;
  client.expectProved(operation, answer);
  client.expect(operation, 'rejected_total', answer.rejected_total, 0);
  const sum = Number(answer.added) + Number(answer.updated) + Number(answer.removed) + Number(answer.unchanged);
  const sure = addresses.every(
    (address) => before.get(address) !== 'either' && client.model.of(address) === wanted(address),
  );
  if (!client.tally.mayJudge(sure)) return;
  client.expect(operation, 'changes in all', sum, addresses.length);
  client.expect(operation, 'added', answer.added, add.length);
  client.expect(operation, 'removed', answer.removed, remove.length);
}

function addressesOf(page: Json): string[] {
  return (page.items as { ip_address: string }[]).map(({ ip_address }) => ip_address);
}

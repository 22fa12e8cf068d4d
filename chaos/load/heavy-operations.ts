// Operations that come by the clock, so that their rate does not depend on the machine.
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { address } from '../../testkit/load/lists.ts';
import { type Client, isLate, isLateHealth, type Json } from './client.ts';
import { batch, block, expectVisit, type Operation, unblock } from './light-operations.ts';
import type { BlockedModel } from './model.ts';

/** Some milliseconds of work. */
const slice = 4_000;
const expiresAfterSeconds = 1;
/** For entries that never expire; lateness is a figure. */
const expiryPatienceMs = 180_000;

/** Shared by the clients, besides the model. */
export class Shared {
  readonly entries: number;
  readonly model: BlockedModel;
  readonly crowds: { readonly staged: readonly string[]; readonly grouped: readonly string[] };
  /** First index of the generated list; null: a `PUT` of unknown outcome may have changed it. */
  baseFrom: number | null = 0;
  puts = 0;
  names = 0;
  /** Bulk changes begun: while one is applied, database and workers differ on purpose. */
  changes = 0;
  #underWay = 0;

  constructor(entries: number, model: BlockedModel, crowds: Shared['crowds']) {
    this.entries = entries;
    this.model = model;
    this.crowds = crowds;
  }

  get isChanging(): boolean {
    return this.#underWay > 0;
  }

  async bigChange(work: () => Promise<void>): Promise<void> {
    this.changes += 1;
    this.#underWay += 1;
    try {
      await work();
    } finally {
      this.#underWay -= 1;
    }
  }

  /** The generated list from this index on. */
  async base(from: number): Promise<string[]> {
    const list: string[] = [];
    await inSlices(this.entries, (index) => list.push(address(from + index)));
    return list;
  }
}

export interface Heavy {
  readonly name: string;
  readonly everySeconds: number;
  readonly run: Operation;
}

/** For five minutes; a shorter load has them closer together. */
export function heavyOperations(shared: Shared): Heavy[] {
  const heavy = (name: string, everySeconds: number, run: Operation): Heavy => ({ name, everySeconds, run });
  return [
    heavy('put', 20, (client) => shared.bigChange(() => put(client, shared))),
    heavy('sync', 10, (client) => sync(client, shared)),
    heavy('reload', 15, reload),
    heavy('site', 12, (client) => site(client, shared)),
    heavy('trust', 1, trust),
    heavy('key', 6, (client) => key(client, shared)),
    heavy('export', 5, (client) => exportAll(client, shared)),
    heavy('health', 2, health),
    heavy('expiry', 1, expiry),
    heavy('batch of 500', 3, (client) => batch(client, 'batch of 500', shared.crowds.grouped)),
    heavy('batch of 1500', 9, (client) => shared.bigChange(() => batch(client, 'batch of 1500', shared.crowds.staged))),
    heavy('configuration', 10, configuration),
  ];
}

/** Of ten: seven change a hundredth of the generated entries, two a tenth, one none. */
async function put(client: Client, shared: Shared): Promise<void> {
  shared.puts += 1;
  const share = shared.puts % 10 === 0 ? 0 : shared.puts % 5 === 2 ? 0.1 : 0.01;
  const from = (shared.baseFrom ?? 0) + Math.round(shared.entries * share);
  const base = await shared.base(from);
  // Mostly the known state, so that most overlapping operations agree with it.
  const own = [...shared.model.addresses()].filter((one) => {
    const turned = client.random.next() < 0.01;
    return !isShortBlock(one) && (shared.model.of(one) === 'blocked') !== turned;
  });
  const end = shared.model.beginPut(new Set(own));
  shared.baseFrom = null;
  const answer = await client.stream(
    'put',
    '/api/blocked-ips?allow_shrink=true',
    ...bodyOf([base, own], shared.puts % 3 === 0),
    [200],
  );
  end(answer === null ? 'unknown' : 'done');
  if (answer === null) return;
  shared.baseFrom = from;
  client.expectProved('put', answer);
  client.expect('put', 'rejected_total', answer.rejected_total, 0);
  const sent = base.length + own.length;
  const kept = Number(answer.added) + Number(answer.updated) + Number(answer.unchanged);
  // Addresses changed meanwhile are skipped.
  if (kept > sent || kept < base.length) {
    client.tally.wrong('put', `added, updated and unchanged are ${kept} of ${sent}: ${JSON.stringify(answer)}`);
  }
}

/** In pieces, so that building it does not delay other clients. */
function bodyOf(lists: readonly (readonly string[])[], json: boolean): [type: string, chunks: Buffer[]] {
  const all = lists.flat();
  const chunks: Buffer[] = [];
  for (let start = 0; start < all.length; start += slice) {
    const piece = all.slice(start, start + slice);
    const text = json ? `${start === 0 ? '[' : ','}${JSON.stringify(piece).slice(1, -1)}` : `${piece.join('\n')}\n`;
    chunks.push(Buffer.from(text));
  }
  if (json) chunks.push(Buffer.from(']'));
  return [json ? 'application/json' : 'text/plain', chunks];
}

/** A list must not make a temporary block permanent. */
function isShortBlock(one: string): boolean {
  return /^127\.\d+\.\d+\.20[12]$/.test(one);
}

async function sync(client: Client, shared: Shared): Promise<void> {
  const { changes, isChanging: changing } = shared;
  const answer = await client.ask('sync', 'POST', '/api/blocked-ips/sync', [200]);
  if (answer === null) return;
  client.expect('sync', 'runtime_map_synced', answer.runtime_map_synced, true);
  for (const list of ['missing_ips', 'unexpected_ips', 'wrong_value_ips', 'duplicate_ips']) {
    client.expect('sync', list, answer[list], []);
  }
  // Only the service changes the map: a repair means that it broke an entry, or had not applied it yet.
  if (changing || shared.isChanging || shared.changes !== changes) return;
  for (const count of ['added', 'removed']) client.expect('sync', `repairs, ${count}`, answer[count], 0);
}

async function reload(client: Client): Promise<void> {
  const answer = await client.ask('reload', 'POST', '/api/config/reload', [200]);
  if (answer === null) return;
  client.expect('reload', 'status', answer.status, 'completed');
  const warnings = answer.warnings as readonly string[];
  // A busy machine: said, and repaired later, like a late block.
  const late = warnings.filter((text) => /was not verified to be in sync: .*deadline/.test(text));
  if (late.length > 0) client.tally.late += 1;
  client.expect(
    'reload',
    'warnings',
    warnings.filter((text) => !late.includes(text)),
    [],
  );
}

async function site(client: Client, shared: Shared): Promise<void> {
  shared.names += 1;
  const domain = `site-${client.number}-${shared.names}.example`;
  const servers = [{ address: '127.0.0.1', port: client.random.integer(1_024, 9_000) }];
  if ((await client.ask('site', 'PUT', `/api/sites/${domain}`, [201], { body: { servers } })) === null) return;
  const stored = await client.ask('site read', 'GET', `/api/sites/${domain}`, [200]);
  if (stored !== null) client.expect('site read', 'servers', (stored.servers as Json[]).length, 1);
  await client.ask('site', 'DELETE', `/api/sites/${domain}`, [200]);
  await client.ask('site read', 'GET', `/api/sites/${domain}`, [404]);
}

/** Trust overrides a block as long as it lasts, and no longer. */
async function trust(client: Client): Promise<void> {
  const guest = client.territory.guest;
  if (client.model.of(guest) !== 'free') return;
  const trusted = await changeTrust(client, 'PUT', guest, 201);
  if (trusted === null) return;
  await client.ask('block', 'POST', '/api/blocked-ips', [409], { body: { ip_address: guest } });
  const answer = await block(client, guest, { force: true });
  if (answer !== null) client.expect('block', 'overridden_by', answer.overridden_by, [guest]);
  const through = await client.visit(guest);
  if (through !== null && trusted === 'verified')
    client.expect('visit', `from ${guest}, which is trusted`, through, 200);
  if ((await changeTrust(client, 'DELETE', guest, 200)) === 'verified') await expectVisit(client, guest, 403);
  await unblock(client, guest);
}

/** Null: no answer. `late`: HAProxy may do either until its workers are verified. */
async function changeTrust(
  client: Client,
  method: 'PUT' | 'DELETE',
  guest: string,
  status: number,
): Promise<'verified' | 'late' | null> {
  const body = method === 'PUT' ? { body: { note: 'load' } } : {};
  const answer = await client.ask('trust', method, `/api/trusted-ips/${guest}`, [status], body);
  if (answer === null) return null;
  client.expectProved('trust', answer);
  return isLate(answer) ? 'late' : 'verified';
}

async function key(client: Client, shared: Shared): Promise<void> {
  shared.names += 1;
  const name = `load-${client.number}-${shared.names}`;
  const made = await client.ask('key', 'POST', '/api/keys', [201], { body: { name } });
  if (made === null) return;
  const own = client.with(String(made.key));
  try {
    await own.ask('check', 'GET', '/api/check/192.0.2.1', [200]);
    await client.ask('key', 'DELETE', `/api/keys/${name}`, [200]);
    await own.ask('refused key', 'GET', '/api/check/192.0.2.1', [401]);
  } finally {
    own.close();
  }
}

async function exportAll(client: Client, shared: Shared): Promise<void> {
  const base = shared.baseFrom;
  const puts = shared.puts;
  const before = new Map(client.addresses.map((one) => [one, client.model.of(one)]));
  const text = await client.text('export', '/api/blocked-ips');
  if (text === null) return;
  const listed = text.split('\n');
  if (listed.pop() !== '') client.tally.wrong('export', 'ends within a line');
  const found = new Set<string>();
  await inSlices(listed.length, (index) => found.add(listed[index]!));
  if (found.size < listed.length) client.tally.wrong('export', 'an address came twice');
  for (const [one, presence] of before) {
    client.expectSeen('export', one, presence, found.has(one) ? 'blocked' : 'free');
  }
  if (base === null || shared.baseFrom === null || puts !== shared.puts) return;
  const missing: string[] = [];
  await inSlices(shared.entries, (index) => {
    const one = address(base + index);
    if (!found.has(one)) missing.push(one);
  });
  if (missing.length > 0)
    client.tally.wrong('export', `${missing.length} of the list are missing, such as ${missing[0]}`);
}

/** Arithmetic must not delay other clients. */
async function inSlices(count: number, work: (index: number) => void): Promise<void> {
  for (let start = 0; start < count; start += slice) {
    for (let index = start; index < Math.min(count, start + slice); index += 1) work(index);
    await setImmediate();
  }
}

async function health(client: Client): Promise<void> {
  const answer = await client.ask('health', 'GET', '/health', [200, 503]);
  if (answer === null) return;
  const reasons = (answer.reasons ?? []) as readonly string[];
  if (isLateHealth(reasons)) client.tally.late += 1;
  else client.expect('health', 'status and reasons', [answer.status, reasons], ['ok', []]);
}

async function expiry(client: Client): Promise<void> {
  const passing = client.territory.passing;
  if (client.model.of(passing) !== 'free') return;
  const answer = await block(client, passing, { duration_seconds: expiresAfterSeconds });
  if (answer === null || isLate(answer)) return;
  const end = client.model.begin(passing);
  const over = performance.now() + expiresAfterSeconds * 1_000;
  await pause(expiresAfterSeconds * 1_000);
  for (;;) {
    const row = await client.ask('get', 'GET', `/api/blocked-ips/${passing}`, [200, 404]);
    if (row === null || row.status_code === 404) break;
    if (performance.now() - over > expiryPatienceMs) {
      client.tally.wrong('expiry', `${passing} is still there after ${expiryPatienceMs} ms`);
      break;
    }
    await pause(200);
  }
  end('free');
  // The row goes a moment before the entry of the running map.
  while (performance.now() - over < expiryPatienceMs) {
    if ((await client.visit(passing)) !== 200) continue;
    // Time from the promised second until it was served again.
    client.tally.took('expiry', Math.max(0, performance.now() - over));
    return;
  }
  client.tally.wrong('expiry', `${passing} is still refused after ${expiryPatienceMs} ms`);
}

async function configuration(client: Client): Promise<void> {
  await client.ask('configuration', 'GET', '/api/config', [200]);
  await client.ask('configuration', 'POST', '/api/config/validate', [200]);
  await client.ask('configuration', 'GET', '/api/config/diff', [200]);
  await client.ask('configuration', 'GET', '/api/config/reloads', [200]);
}

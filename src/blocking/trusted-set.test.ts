import { mkdir, readFile, rmdir, unlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, entryOf } from '../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { RuntimeChanger } from './write/runtime-changer.ts';

const begin = Date.parse('2030-01-01T00:00:00Z');
const seconds = 1_000;

let close: () => Promise<void>;
let kit: BlockingKit;
let now: number;

beforeEach(async () => {
  now = begin;
  ({ kit, close } = await openScriptedBlocking({ now: () => new Date(now) }));
  await kit.trusted.updateTrustedIpsMap();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await close();
});

const entry = entryOf('192.0.2.1');
const trustFor = (length: number) =>
  kit.trusted.put(entry, { expiry: { kind: 'duration', seconds: length } }, caller());
const trustedFile = () => `${kit.mapPath}.trusted`;
const audited = async () => {
  const rows = await kit.database.read
    .selectFrom('audit')
    .select(['operation', 'details_json'])
    .orderBy('id')
    .execute();
  return rows.map(({ operation, details_json }) => [operation, JSON.parse(details_json ?? '{}').created]);
};

/** Nothing can replace the file. */
async function spoilFile(): Promise<void> {
  await unlink(trustedFile());
  await mkdir(trustedFile());
}

describe('temporary trust', () => {
  it('expires once, with one audit row, even if its file could not be written', async () => {
    await trustFor(60);
    now += 61 * seconds;
    await spoilFile();
    for (let time = 0; time < 3; time += 1) {
      await expect(kit.trusted.expireOnce()).rejects.toMatchObject({ code: codes.MapFileUnusable });
    }
    expect(await audited()).toEqual([['trust', true]]);
    expect(kit.trusted.entries.texts()).toEqual([entry.text]);
    await rmdir(trustedFile());
    await kit.trusted.expireOnce();
    expect(await audited()).toEqual([
      ['trust', true],
      ['expire_trust', undefined],
    ]);
    expect(kit.trusted.entries.texts()).toEqual([]);
    expect(await readFile(trustedFile(), 'utf8')).not.toContain(entry.text);
  });

  it('that has expired is created again, and the audit log says so', async () => {
    await trustFor(60);
    now += 61 * seconds;
    expect(await trustFor(60)).toMatchObject({ created: true });
    expect(await trustFor(90)).toMatchObject({ created: false });
    expect(await audited()).toEqual([
      ['trust', true],
      ['trust', true],
      ['trust', false],
    ]);
  });
});

describe('a change of trust', () => {
  it('that fails with an internal error after the commit reports what is stored', async () => {
    vi.spyOn(RuntimeChanger.prototype, 'change').mockRejectedValue(new TypeError('a defect'));
    const committed = async (change: Promise<unknown>) => {
      const failure: unknown = await change.catch((error: unknown) => error);
      return failure instanceof ServiceError && failure.members['committed'];
    };
    const change = { expiry: { kind: 'permanent' } } as const;
    expect(await committed(kit.trusted.put(entry, change, caller()))).toEqual({ added: 1, updated: 0, removed: 0 });
    expect(await committed(kit.trusted.put(entry, change, caller()))).toEqual({ added: 0, updated: 1, removed: 0 });
    expect(await committed(kit.trusted.remove(entry, caller()))).toEqual({ added: 0, updated: 0, removed: 1 });
    expect(await kit.trusted.list()).toEqual([]);
  });

  it('whose file cannot be written is rolled back', async () => {
    await trustFor(60);
    const before = await kit.trusted.list();
    await spoilFile();
    await expect(trustFor(90)).rejects.toMatchObject({ code: codes.MapFileUnusable });
    await expect(kit.trusted.remove(entry, caller())).rejects.toMatchObject({ code: codes.MapFileUnusable });
    expect(await kit.trusted.list()).toEqual(before);
    expect(kit.trusted.entries.texts()).toEqual([entry.text]);
    await rmdir(trustedFile());
  });
});

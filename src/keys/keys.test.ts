import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noFacts } from '../../testkit/no-facts.ts';
import { silentLog } from '../../testkit/silent-log.ts';
import type { Scope } from '../domain/scope.ts';
import { ApiKeysStore } from '../store/api-keys-store.ts';
import { type Database, openDatabase } from '../store/open-database.ts';
import { ApiKeys } from './keys.ts';

const caller = { keyName: 'ops', requestId: 'r', source: '127.0.0.1', receivedAt: 0 };
const soon = new Date('2030-01-02T00:00:00Z');
const later = new Date('2030-01-03T00:00:00Z');

let folder: string;
let database: Database;
let now: Date;
let keys: ApiKeys;
let keyFile: string;
const opened = (given: string | null) =>
  new ApiKeys({
    store: new ApiKeysStore(database),
    moveClaims: (keyName, source) => moveClaims(keyName, source),
    given,
    log: silentLog,
    emit: noFacts,
    now: () => now,
  });
let moveClaims: (keyName: string, source: string) => Promise<number>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-keys-'));
  keyFile = join(folder, 'state', 'api-key');
  database = await openDatabase(`sqlite:${join(folder, 'db.sqlite')}`, { createIfMissing: true });
  now = new Date('2030-01-01T00:00:00Z');
  keys = opened(null);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const make = async (name: string, scopes?: readonly Scope[], expiresAt?: Date) =>
  (await keys.create({ name, scopes, expiresAt }, caller)).key;
const revoke = (name: string) => keys.revoke(name, caller);
const refused = expect.objectContaining({ code: 409, message: expect.stringContaining('the last valid key') });

describe('what a key may do', () => {
  test('is the requested one, admin by default, and none for an unknown scope', async () => {
    expect(await keys.authenticate(await make('watcher', ['read']))).toEqual({ name: 'watcher', scopes: ['read'] });
    expect(await keys.authenticate(await make('unsaid'))).toEqual({ name: 'unsaid', scopes: ['admin'] });
    await database.write.updateTable('api_keys').set({ scopes_json: '["everything"]' }).execute();
    expect((await keys.list()).map(({ scopes }) => scopes)).toEqual([[], []]);
  });

  test('is everything for the key of the settings', async () => {
    expect(await opened('given-0123456789').authenticate('given-0123456789')).toEqual({
      name: '_settings',
      scopes: ['admin'],
    });
  });

  test('has different names for a stored key and the key of the settings', async () => {
    await keys.ensureFirstKey(keyFile, () => undefined);
    const stored = (await readFile(keyFile, 'utf8')).trim();
    const both = opened('given-0123456789');
    const names = [await both.authenticate(stored), await both.authenticate('given-0123456789')].map(
      (key) => key?.name,
    );
    expect(names).toEqual(['admin', '_settings']);
  });

  test('ends to the millisecond at its expiry, and at once when the key is revoked', async () => {
    const key = await make('short', ['read'], soon);
    now = new Date(soon.getTime() - 1);
    expect(await keys.authenticate(key)).not.toBeNull();
    now = soon;
    expect(await keys.authenticate(key)).toBeNull();
    const other = await make('other', ['block']);
    await revoke('other');
    expect(await keys.authenticate(other)).toBeNull();
  });
});

describe('the last valid admin key', () => {
  test('cannot be revoked, however many keys of lower scopes exist', async () => {
    await make('root');
    await make('bot', ['block']);
    await make('watcher', ['read']);
    await expect(revoke('root')).rejects.toEqual(refused);
    await revoke('bot');
    await make('second', ['admin']);
    await revoke('root');
    await expect(revoke('second')).rejects.toEqual(refused);
  });

  test('cannot be revoked if all others expire earlier', async () => {
    await make('root');
    await make('guest', ['admin'], soon);
    await expect(revoke('root')).rejects.toEqual(refused);
    await revoke('guest');
    await make('guest-2', ['admin'], soon);
    await make('guest-3', ['admin'], later);
    await make('root-2');
    await revoke('root');
    await revoke('guest-3');
    await revoke('guest-2');
    await expect(revoke('root-2')).rejects.toEqual(refused);
  });

  test('is the one that expires last', async () => {
    await make('first', ['admin'], soon);
    await make('second', ['admin'], later);
    await expect(revoke('second')).rejects.toEqual(refused);
    await revoke('first');
  });

  test('is never an expired one, which can always be revoked', async () => {
    await make('root');
    await make('guest', ['admin'], soon);
    now = later;
    await expect(revoke('root')).rejects.toEqual(refused);
    await revoke('guest');
  });

  test('stays when two requests revoke the last two at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const names = [`a${round}`, `b${round}`];
      for (const name of names) await make(name);
      for (const { name, revoked_at } of await keys.list())
        if (revoked_at === null && !names.includes(name)) await revoke(name);
      const results = await Promise.allSettled(names.map(revoke));
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect((await keys.list()).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1);
    }
  });

  test('can be revoked while the settings provide one', async () => {
    await make('root');
    await opened('given-0123456789').revoke('root', caller);
    expect((await keys.list())[0]?.revoked_at).not.toBeNull();
  });
});

describe('at a start', () => {
  const written = async () => (await readFile(keyFile, 'utf8')).trim();

  test('the first key is created once, readable by its owner only', async () => {
    await keys.ensureFirstKey(keyFile, () => undefined);
    const first = await written();
    expect(await keys.authenticate(first)).toEqual({ name: 'admin', scopes: ['admin'] });
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    await keys.ensureFirstKey(keyFile, () => undefined);
    expect(await written()).toBe(first);
  });

  test('an admin key is created if the settings no longer provide one and no valid one is stored', async () => {
    await make('root', ['admin']);
    await make('bot', ['block']);
    await opened('given-0123456789').revoke('root', caller);
    await keys.ensureFirstKey(keyFile, () => undefined);
    expect(await keys.authenticate(await written())).toEqual({ name: 'admin', scopes: ['admin'] });
  });

  test('an admin key is created under an unused name if the last one has expired', async () => {
    await make('admin', ['admin'], soon);
    await keys.ensureFirstKey(keyFile, () => undefined);
    await expect(written()).rejects.toThrow('ENOENT');
    now = later;
    await keys.ensureFirstKey(keyFile, () => undefined);
    expect(await keys.authenticate(await written())).toEqual({ name: 'admin-2', scopes: ['admin'] });
  });
});

describe('binding a key to a source', () => {
  test('moves its claims, also after a crash in between, and answers with the source from then on', async () => {
    const { key } = await keys.create({ name: 'fail2ban', scopes: ['block'] }, caller);
    const moves: string[] = [];
    moveClaims = async () => {
      throw new Error('a crash');
    };
    await expect(keys.bind('fail2ban', 'fail2ban', caller)).rejects.toThrow('a crash');
    expect(await keys.authenticate(key)).toEqual({ name: 'fail2ban', scopes: ['block'], source: 'fail2ban' });
    moveClaims = async (keyName, source) => moves.push(`${keyName} to ${source}`);
    await keys.finishBinding();
    await keys.finishBinding();
    expect(moves).toEqual(['fail2ban to fail2ban']);
    expect(await keys.bind('fail2ban', 'manual', caller)).toMatchObject({ source: 'manual', claims_moved: 2 });
    await expect(keys.bind('unknown', 'fail2ban', caller)).rejects.toMatchObject({ status: 404 });
  });

  test('is due for valid keys that may block, until they are bound or marked as manual', async () => {
    await make('root');
    await make('watcher', ['read']);
    await make('fail2ban', ['block']);
    await make('bot', ['read', 'block']);
    await make('both', ['block', 'admin']);
    await make('guest', ['block'], soon);
    await make('gone', ['block']);
    await revoke('gone');
    expect(await keys.unbound()).toEqual(['bot', 'fail2ban', 'guest']);
    now = soon;
    moveClaims = async () => 0;
    await keys.bind('fail2ban', 'fail2ban', caller);
    await keys.bind('bot', 'manual', caller);
    expect(await keys.unbound()).toEqual([]);
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noFacts } from '../../testkit/no-facts.ts';
import { silentLog } from '../../testkit/silent-log.ts';
import { StoreFolder } from '../../testkit/store/store-folder.ts';
import type { Caller } from '../api/caller.ts';
import { ApiKeysStore } from '../store/api-keys-store.ts';
import { AuditStore } from '../store/audit-store.ts';
import type { Database } from '../store/open-database.ts';
import { SessionsStore } from '../store/sessions-store.ts';
import { ApiKeys, settingsKeyName } from './keys.ts';
import { Sessions } from './sessions.ts';

const minute = 60_000;
const hour = 60 * minute;
const START = new Date('2030-01-01T00:00:00Z');
const caller = (keyName: string): Caller => ({ keyName, requestId: 'r', source: '192.0.2.1', receivedAt: 0 });

let folder: StoreFolder;
let database: Database;
let now: Date;
let keys: ApiKeys;
let sessions: Sessions;

const pass = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};
/** As after a restart of the service. */
const open = (given: string | null = null): void => {
  const moveClaims = async () => 0;
  const store = new ApiKeysStore(database);
  keys = new ApiKeys({ store, moveClaims, given, log: silentLog, emit: noFacts, now: () => now });
  sessions = new Sessions({ store: new SessionsStore(database), keys, log: silentLog, emit: noFacts, now: () => now });
};
const signIn = async (keyName: string) => (await sessions.start(caller(keyName))).token;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  now = START;
  open();
});
afterEach(() => folder.remove());

describe('a session', () => {
  beforeEach(async () => {
    await keys.create({ name: 'root' }, caller('root'));
    await keys.create({ name: 'ops', scopes: ['block'], expiresAt: new Date('2030-01-02T00:00:00Z') }, caller('root'));
  });

  test('has the name and the scopes of its key, and says when it ends at the latest', async () => {
    expect(await sessions.authenticate(await signIn('ops'))).toEqual({
      name: 'ops',
      scopes: ['block'],
      sessionEndsAt: '2030-01-01T12:00:00.000Z',
    });
  });

  test('counts as a use of its key in the list of keys', async () => {
    const token = await signIn('ops');
    pass(5 * minute);
    await sessions.authenticate(token);
    const lastUse = async () => (await keys.list()).find(({ name }) => name === 'ops')?.last_used_at;
    await expect.poll(lastUse).toBe(now.toISOString());
  });

  test('survives a restart, and is stored as hashes only', async () => {
    const token = await signIn('ops');
    open();
    expect(await sessions.authenticate(token)).not.toBeNull();
    const stored = JSON.stringify(await database.read.selectFrom('sessions').selectAll().execute());
    expect(stored).not.toContain(token.slice(4));
  });

  test('ends half an hour after its last use, across a restart too', async () => {
    const token = await signIn('ops');
    for (let use = 0; use < 4; use += 1) {
      pass(29 * minute);
      expect(await sessions.authenticate(token)).not.toBeNull();
    }
    const row = () => database.read.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    await expect.poll(async () => (await row()).last_used_at).toBe(now.toISOString());
    open();
    pass(29 * minute);
    expect(await sessions.authenticate(token)).not.toBeNull();
    pass(30 * minute);
    expect(await sessions.authenticate(token)).toBeNull();
  });

  test('ends twelve hours after sign-in, however much it is used', async () => {
    const token = await signIn('ops');
    for (let at = 0; at < 12 * hour; at += 20 * minute) {
      expect(await sessions.authenticate(token)).not.toBeNull();
      pass(20 * minute);
    }
    expect(await sessions.authenticate(token)).toBeNull();
  });

  test('that began while the clock was ahead ends when the clock is set back, and takes no slot', async () => {
    pass(400 * 24 * hour);
    const tokens: string[] = [];
    for (let count = 0; count < 64; count += 1) {
      pass(5_000);
      tokens.push(await signIn('root'));
    }
    now = new Date(START.getTime() + hour);
    for (const token of [tokens[0]!, tokens.at(-1)!]) expect(await sessions.authenticate(token)).toBeNull();
    const [first, second] = [await signIn('root'), await signIn('root')];
    for (const token of [first, second]) expect(await sessions.authenticate(token)).not.toBeNull();
    // A correction of less than a minute ends nothing.
    pass(-minute);
    expect(await sessions.authenticate(second)).not.toBeNull();
    pass(-1);
    expect(await sessions.authenticate(second)).toBeNull();
  });

  test('ends with its key: at once when it is revoked, to the millisecond when it expires', async () => {
    const [first, second] = [await signIn('ops'), await signIn('root')];
    await keys.create({ name: 'short', expiresAt: new Date(START.getTime() + minute) }, caller('root'));
    const short = await signIn('short');
    await keys.revoke('ops', caller('root'));
    expect(await sessions.authenticate(first)).toBeNull();
    expect(await sessions.authenticate(second)).not.toBeNull();
    pass(minute - 1);
    expect(await sessions.authenticate(short)).not.toBeNull();
    pass(1);
    expect(await sessions.authenticate(short)).toBeNull();
  });

  test('of a key that has ended meanwhile is not started', async () => {
    await keys.revoke('ops', caller('root'));
    await expect(signIn('ops')).rejects.toMatchObject({ code: 401 });
  });

  test('ends at sign-out, and no other does', async () => {
    const [first, second] = [await signIn('ops'), await signIn('ops')];
    await sessions.end(first, caller('ops'));
    expect(await sessions.authenticate(first)).toBeNull();
    expect(await sessions.authenticate(second)).not.toBeNull();
    open();
    expect(await sessions.authenticate(first)).toBeNull();
  });

  test('has its start and its end in the audit log, under the name of its key', async () => {
    await sessions.end(await signIn('ops'), caller('ops'));
    const { items } = await new AuditStore(database).page({ limit: 2, cursor: null });
    expect(items).toMatchObject([
      { operation: 'sign_out', key: 'ops', source: '192.0.2.1' },
      { operation: 'sign_in', key: 'ops', source: '192.0.2.1' },
    ]);
  });

  test('beyond the 64th of its key ends the longest idle one, and ended ones are deleted', async () => {
    const root = await signIn('root');
    const tokens: string[] = [];
    for (let count = 0; count < 65; count += 1) {
      pass(5_000);
      tokens.push(await signIn('ops'));
    }
    expect(await sessions.authenticate(tokens[0]!)).toBeNull();
    expect(await sessions.authenticate(tokens[1]!)).not.toBeNull();
    expect(await sessions.authenticate(root)).not.toBeNull();
    pass(hour);
    await signIn('ops');
    expect(await database.read.selectFrom('sessions').selectAll().execute()).toHaveLength(1);
  });

  test('is refused beyond thirty starts of one key within a minute, without affecting other keys', async () => {
    for (let count = 0; count < 30; count += 1) await signIn('ops');
    await expect(signIn('ops')).rejects.toMatchObject({ status: 503, retryAfterSeconds: 60 });
    await signIn('root');
    pass(minute);
    await signIn('ops');
  });

  test('starts and lasts while the database cannot be written, and sign-out reports that it was not stored', async () => {
    const store = new SessionsStore(database);
    const full = () => Promise.reject(new Error('disk full'));
    sessions = new Sessions({
      store: { start: full, touch: full, end: full, find: (hash) => store.find(hash) },
      keys,
      log: silentLog,
      emit: noFacts,
      now: () => now,
    });
    const token = await signIn('ops');
    pass(20 * minute);
    expect(await sessions.authenticate(token)).not.toBeNull();
    pass(20 * minute);
    expect(await sessions.authenticate(token)).not.toBeNull();
    await expect(sessions.end(token, caller('ops'))).rejects.toThrow('disk full');
    expect(await sessions.authenticate(token)).toBeNull();
  });
});

describe('a session of the key of the settings', () => {
  test('continues after a restart with the same key, and ends with another one or none', async () => {
    open('given-0123456789abcdef');
    const token = await signIn(settingsKeyName);
    open('given-0123456789abcdef');
    expect(await sessions.authenticate(token)).toMatchObject({ name: settingsKeyName, scopes: ['admin'] });
    open('other-0123456789abcdef');
    expect(await sessions.authenticate(token)).toBeNull();
    open();
    expect(await sessions.authenticate(token)).toBeNull();
  });
});

test('rejects a token that was never issued', async () => {
  expect(await sessions.authenticate(`pms_${'a'.repeat(43)}`)).toBeNull();
});

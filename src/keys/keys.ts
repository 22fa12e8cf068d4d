// Keys: shown once, stored as SHA-256 hashes. A generated key has 256 random bits, so nothing slower than SHA-256 is
// needed, and the lookup by hash leaks nothing: its timing shows how far the hash of a guess agrees with a stored one,
// and a guess cannot be chosen by its hash. The key of the settings, chosen by the operator, is hashed too and compared
// in constant time. It is an admin key and always valid.

import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto';
import { dirname } from 'node:path';
import type { Caller } from '../api/caller.ts';
import type { Key, NewKey } from '../api/keys.ts';
import { grants, isScope, type Scope } from '../domain/scope.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Emit } from '../events/facts.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { writeSecretFile } from '../files/atomic-file.ts';
import { makeFolderDurably } from '../files/durable-folder.ts';
import type { ApiKeyRow, ApiKeysStore, RevocationJudge } from '../store/api-keys-store.ts';
import { auditedChange } from '../store/audit-rows.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const firstKeyName = 'admin';
/** The name of the settings' key: no stored key can have it (`plainName`), so log and audit log distinguish them. */
export const settingsKeyName = '_settings';
/** Scopes of keys created without any: as before scopes existed (ADR 0024). */
const everything: readonly Scope[] = ['admin'];

interface ApiKeysDeps {
  readonly store: ApiKeysStore;
  /** Gives a source the claims that the key of that name made before it was bound. Returns how many. */
  readonly moveClaims: (keyName: string, source: string) => Promise<number>;
  /** The key of the settings. */
  readonly given: string | null;
  readonly log: Log;
  readonly emit: Emit;
  readonly now: () => Date;
}

export class ApiKeys {
  readonly #deps: ApiKeysDeps;
  readonly #given: Buffer | null;

  constructor(deps: ApiKeysDeps) {
    this.#deps = deps;
    this.#given = deps.given === null ? null : hash(deps.given);
  }

  /**
   * Creates the first key and writes it once to `path` (mode 600, ours), unless one was given or there is a valid admin
   * key: also if all stored ones expired while the setting had one, since without one no key could be created. The
   * service never runs without a key.
   * @param audited called with the id of its audit row once it is stored: there is no request to complete the row
   */
  async ensureFirstKey(path: string, audited: (row: number) => void): Promise<void> {
    const rows = await this.#deps.store.list();
    if (this.#given !== null || rows.some((row) => isValidAdmin(row, this.#deps.now()))) return;
    const key = newKey();
    await makeFolderDurably(dirname(path), 0o700);
    // The file first: a stored key that was never written anywhere would lock the owner out.
    await writeSecretFile(path, `${key}\n`);
    crashPoint('first-key.written');
    // A name is never reused, even after its key has ended.
    const names = new Set(rows.map((row) => row.name));
    let name = firstKeyName;
    for (let number = 2; names.has(name); number += 1) name = `${firstKeyName}-${number}`;
    await this.#deps.store.create({ name, hash: hash(key).toString('hex'), scopes: everything }, this.#deps.now(), {
      note: { operation: 'create_key', keyName: null, source: null, requestId: null, target: name },
      written: audited,
    });
    crashPoint('first-key.stored');
    const message = rows.length === 0 ? 'First API key created' : 'No valid admin key left; created one';
    this.#deps.log.info(message, { name, file: path });
  }

  async authenticate(
    key: string,
  ): Promise<{ readonly name: string; readonly scopes: readonly Scope[]; readonly source?: string } | null> {
    const hashed = hash(key);
    if (this.#given !== null && timingSafeEqual(hashed, this.#given)) {
      return { name: settingsKeyName, scopes: everything };
    }
    const row = await this.#deps.store.findByHash(hashed.toString('hex'));
    const now = this.#deps.now();
    if (row === null || !isValid(row, now)) return null;
    this.#noteUse(row.name, now);
    return { name: row.name, scopes: row.scopes.filter(isScope), ...boundTo(row) };
  }

  /** A request neither waits for it nor fails because of it. */
  #noteUse(name: string, now: Date): void {
    this.#deps.store.touch(name, now).catch((error: unknown) => {
      this.#deps.log.warn('Last use of a key could not be recorded', { name, cause: causeText(error) });
    });
  }

  /** The valid key of that name, for its session, which counts as a use; null: none now. `hash`: lower-case hex. */
  async validKey(
    name: string,
  ): Promise<{ readonly hash: string; readonly scopes: readonly Scope[]; readonly source?: string } | null> {
    if (name === settingsKeyName)
      return this.#given === null ? null : { hash: this.#given.toString('hex'), scopes: everything };
    const row = await this.#deps.store.findByName(name);
    const now = this.#deps.now();
    if (row === null || !isValid(row, now)) return null;
    this.#noteUse(row.name, now);
    return { hash: row.hash, scopes: row.scopes.filter(isScope), ...boundTo(row) };
  }

  async list(): Promise<readonly Key[]> {
    return (await this.#deps.store.list()).map(shown);
  }

  /** Valid keys that block without a source, so that their unblocks drop the blocks of operators; by name. */
  async unbound(): Promise<readonly string[]> {
    const now = this.#deps.now();
    const keys = (await this.#deps.store.list()).filter((row) => isValid(row, now) && row.source === null);
    return keys.filter(({ scopes }) => grants(scopes, 'block') && !grants(scopes, 'admin')).map(({ name }) => name);
  }

  async create(
    request: {
      readonly name: string;
      /** Default: admin. */
      readonly scopes?: readonly Scope[] | undefined;
      readonly expiresAt?: Date | undefined;
      /** The source of claims that it is bound to; `manual` says that it needs none. */
      readonly source?: string | undefined;
    },
    caller: Caller,
  ): Promise<NewKey> {
    const key = newKey();
    const row = await this.#deps.store.create(
      {
        name: request.name,
        hash: hash(key).toString('hex'),
        scopes: request.scopes ?? everything,
        expiresAt: request.expiresAt?.toISOString() ?? null,
        source: request.source ?? null,
      },
      this.#deps.now(),
      auditedChange('create_key', caller, {
        target: request.name,
        details: {
          scopes: request.scopes ?? everything,
          expires_at: request.expiresAt?.toISOString() ?? null,
          ...(request.source === undefined ? {} : { source: request.source }),
        },
      }),
    );
    if (row === null) {
      throw new ServiceError(
        codes.NotUnique,
        'create key',
        `the name ${request.name} is or was in use; choose another name`,
      );
    }
    const { name, scopes, expires_at } = row;
    this.#deps.emit('operation.done', { operation: 'create_key', caller, subject: { name, scopes, expires_at } });
    return { ...shown(row), key };
  }

  /**
   * Binds a key to a source, with the claims of `manual` that it made. Errors: 404 without a valid key of that name; a
   * failed move is finished by the next start, or by the same request.
   */
  async bind(name: string, source: string, caller: Caller): Promise<Key & { readonly claims_moved: number }> {
    const audited = auditedChange('bind_key', caller, { target: name, details: { source } });
    const row = await this.#deps.store.bind(name, source, this.#deps.now(), audited);
    if (row === null) throw new ServiceError(codes.NotFound, 'bind key', `there is no valid key named ${name}`);
    crashPoint('key-bind.stored');
    const moved = await this.#move({ name, source });
    this.#deps.emit('operation.done', { operation: 'bind_key', caller, subject: { name, source } });
    return { ...shown(row), claims_moved: moved };
  }

  /** Call at start: a crash may have come between the binding of a key and the last of its claims. */
  async finishBinding(): Promise<void> {
    for (const key of await this.#deps.store.withClaimsToMove()) {
      const moved = await this.#move(key);
      this.#deps.log.info('Claims of a bound key moved', { ...key, claims: moved });
    }
  }

  async #move({ name, source }: { readonly name: string; readonly source: string }): Promise<number> {
    const moved = await this.#deps.moveClaims(name, source);
    crashPoint('key-bind.moved');
    await this.#deps.store.claimsMoved(name);
    return moved;
  }

  /**
   * The admin key that lasts longest stays: without one no key can be created. Decided in the transaction that revokes,
   * so that of two concurrent requests for the last two the second is refused.
   */
  async revoke(name: string, caller: Caller): Promise<Key> {
    const now = this.#deps.now();
    const judge: RevocationJudge = (key, others) => {
      if (this.#given === null) refuseLastAdmin(key, others, now);
    };
    const row = await this.#deps.store.revoke(name, now, judge, auditedChange('revoke_key', caller, { target: name }));
    if (row === null) throw new ServiceError(codes.NotFound, 'revoke key', `there is no valid key named ${name}`);
    this.#deps.emit('operation.done', { operation: 'revoke_key', caller, subject: { name } });
    return shown(row);
  }
}

function isValid(row: ApiKeyRow, now: Date): boolean {
  return row.revoked_at === null && (row.expires_at === null || row.expires_at > now.toISOString());
}

function isValidAdmin(row: ApiKeyRow, now: Date): boolean {
  return isValid(row, now) && grants(row.scopes, 'admin');
}

/** @throws ServiceError 409 unless another admin key is valid at least as long */
function refuseLastAdmin(key: ApiKeyRow, others: readonly ApiKeyRow[], now: Date): void {
  if (!isValidAdmin(key, now)) return;
  const lasts = (other: ApiKeyRow): boolean =>
    other.expires_at === null || (key.expires_at !== null && other.expires_at >= key.expires_at);
  const admins = others.filter((other) => isValidAdmin(other, now));
  if (admins.some(lasts)) return;
  const until = key.expires_at === null ? 'that never expires' : `that lasts until ${key.expires_at}`;
  throw new ServiceError(
    codes.Conflict,
    'revoke key',
    admins.length === 0
      ? `${key.name} is the last valid key with the scope admin; create another one first: without one no key could be created`
      : `${key.name} is the last valid key with the scope admin ${until}, and no key can be created once the others expire; create another admin key that lasts as long first`,
  );
}

function boundTo({ source }: ApiKeyRow): { source?: string } {
  return source === null ? {} : { source };
}

/** Without the hash. */
function shown({ hash: _, scopes, ...record }: ApiKeyRow): Key {
  return { ...record, scopes: scopes.filter(isScope) };
}

/** 256 random bits, with a prefix by which a leaked one is recognised. */
function newKey(): string {
  return `pm_${randomBytes(32).toString('base64url')}`;
}

function hash(key: string): Buffer {
  return digest('sha256', key, 'buffer');
}

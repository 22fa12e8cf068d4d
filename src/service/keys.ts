// Keys: stored as SHA-256 hashes (they are random and long, so nothing slower is needed), compared in constant time,
// shown once. The key given by the settings is an admin key and always valid.

import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Caller } from '../blocking/answers.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { writeFileAtomically } from '../files/atomic-file.ts';
import { makeFolderDurably } from '../files/durable-folder.ts';
import type { KeyRecord, KeysService } from '../http/services.ts';
import type { ApiKeysStore } from '../store/api-keys-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const firstKeyName = 'admin';
const everything = ['admin'];

export class ApiKeys implements KeysService {
  readonly #store: ApiKeysStore;
  readonly #given: Buffer | null;
  readonly #log: Log;
  readonly #now: () => Date;

  constructor(options: {
    readonly store: ApiKeysStore;
    /** The key of the settings. */
    readonly given: string | null;
    readonly log: Log;
    readonly now: () => Date;
  }) {
    this.#store = options.store;
    this.#given = options.given === null ? null : hash(options.given);
    this.#log = options.log;
    this.#now = options.now;
  }

  /**
   * Makes the first key and writes it once to `path` (mode 600), unless one was given or made before.
   * It never runs open: without any key nobody gets in.
   */
  async ensureFirstKey(path: string): Promise<void> {
    if (this.#given !== null || (await this.#store.list()).length > 0) return;
    const key = newKey();
    await makeFolderDurably(dirname(path));
    // The file first: a key that is stored but was never written anywhere would lock its owner out.
    await writeFileAtomically(path, `${key}\n`, { mode: 0o600 });
    await chmod(path, 0o600);
    crashPoint('first-key.written');
    await this.#store.create({ name: firstKeyName, hash: hash(key).toString('hex'), scopes: everything }, this.#now());
    crashPoint('first-key.stored');
    this.#log.info('The first API key was made', { name: firstKeyName, file: path });
  }

  async authenticate(key: string): Promise<{ readonly name: string } | null> {
    const hashed = hash(key);
    if (this.#given !== null && timingSafeEqual(hashed, this.#given)) return { name: firstKeyName };
    const row = await this.#store.findByHash(hashed.toString('hex'));
    if (row === null || row.revoked_at !== null) return null;
    const now = this.#now();
    if (row.expires_at !== null && row.expires_at <= now.toISOString()) return null;
    // When it was last used is of no use to the request, and its failure none of the request's business.
    this.#store.touch(row.name, now).catch((error: unknown) => {
      this.#log.warn('The last use of a key could not be noted', { name: row.name, cause: causeText(error) });
    });
    return { name: row.name };
  }

  async list(): Promise<readonly KeyRecord[]> {
    return (await this.#store.list()).map(({ hash: _, ...record }) => record);
  }

  async create(
    request: Parameters<KeysService['create']>[0],
    caller: Caller,
  ): Promise<KeyRecord & { readonly key: string }> {
    refuseNarrowScopes(request.scopes);
    if (this.#given !== null && request.name === firstKeyName) {
      throw new ServiceError(
        codes.NotUnique,
        'create key',
        `${firstKeyName} is the key of the settings; choose another name, so that the log can tell them apart`,
      );
    }
    const key = newKey();
    const row = await this.#store.create(
      {
        name: request.name,
        hash: hash(key).toString('hex'),
        scopes: request.scopes ?? everything,
        expiresAt: request.expiresAt?.toISOString() ?? null,
      },
      this.#now(),
    );
    if (row === null) {
      throw new ServiceError(
        codes.NotUnique,
        'create key',
        `there is, or was, a key named ${request.name}; choose another name`,
      );
    }
    this.#log.info('Operation done', {
      operation: 'create key',
      name: row.name,
      key: caller.keyName,
      request_id: caller.requestId,
    });
    const { hash: _, ...record } = row;
    return { ...record, key };
  }

  /** The last valid key stays: without one nobody gets in again, not after a restart either. */
  async revoke(name: string, caller: Caller): Promise<KeyRecord> {
    if (this.#given === null) await this.#refuseLast(name);
    const row = await this.#store.revoke(name, this.#now());
    if (row === null) throw new ServiceError(codes.NotFound, 'revoke key', `there is no valid key named ${name}`);
    this.#log.info('Operation done', {
      operation: 'revoke key',
      name,
      key: caller.keyName,
      request_id: caller.requestId,
    });
    const { hash: _, ...record } = row;
    return record;
  }

  async #refuseLast(name: string): Promise<void> {
    const now = this.#now().toISOString();
    const valid = (await this.#store.list()).filter(
      (row) => row.revoked_at === null && (row.expires_at === null || row.expires_at > now),
    );
    if (valid.length !== 1 || valid[0]?.name !== name) return;
    throw new ServiceError(
      codes.Conflict,
      'revoke key',
      `${name} is the last valid key, and without it nobody gets in; create another one first`,
    );
  }
}

/** A key that promised less than it can do would be a trap: until scopes are enforced every key can do everything. */
function refuseNarrowScopes(scopes: readonly string[] | undefined): void {
  if (scopes === undefined || (scopes.length === 1 && scopes[0] === everything[0])) return;
  const description = 'scopes are not enforced yet, so every key can do everything; leave it out, or send ["admin"]';
  throw new ServiceError(codes.InvalidParameter, 'create key', `scopes: ${description}`, {
    fields: [{ name: 'scopes', description }],
  });
}

/** 256 random bits, with a mark by which a leaked one is recognised. */
function newKey(): string {
  return `pm_${randomBytes(32).toString('base64url')}`;
}

function hash(key: string): Buffer {
  return digest('sha256', key, 'buffer');
}

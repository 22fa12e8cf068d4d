// Sessions of the panel (ADR 0046): a key is exchanged for a token of the same scopes, which ends soon after its last
// use and with its key. Only a hash of the token is stored. `key_proof` is a hash of token and key hash: it proves that
// the key of that name is still the one that signed in (the settings' key may be replaced between two starts), and
// cannot be used to guess keys from a copy of the database, which does not contain the token.
import { hash as digest, randomBytes } from 'node:crypto';
import type { Caller } from '../api/caller.ts';
import type { Scope } from '../domain/scope.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Emit } from '../events/facts.ts';
import { auditedChange } from '../store/audit-rows.ts';
import type { SessionRow, SessionsStore } from '../store/sessions-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const idleMs = 30 * 60_000;
const longestMs = 12 * 3_600_000;
/** Smaller clock corrections end no session. */
const clockStepMs = 60_000;
const noteUseEveryMs = 60_000;
const mostOfKey = 64;
/** While the database rejects writes. */
const mostUnstored = 256;
/** Each writes an audit row, and keys of the lowest scope must not evict the rows of changes. */
const startsAMinute = 30;
const paceMs = 60_000;

export interface SessionHolder {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The source of claims that the key is bound to; absent: none. */
  readonly source?: string;
  /** Null: a key, not a session. */
  readonly sessionEndsAt: string | null;
}

/** `hash`: lower-case hex. */
interface KeyOfSession {
  validKey(
    name: string,
  ): Promise<{ readonly hash: string; readonly scopes: readonly Scope[]; readonly source?: string } | null>;
}

interface Pace {
  readonly endsAt: number;
  starts: number;
}

interface SessionsDeps {
  readonly store: Pick<SessionsStore, 'start' | 'find' | 'touch' | 'end'>;
  readonly keys: KeyOfSession;
  readonly log: Log;
  readonly emit: Emit;
  readonly now: () => Date;
}

export class Sessions {
  readonly #deps: SessionsDeps;
  /** By hash: when each was last used by this process, in ms since 1970, and when that was last written. */
  readonly #used = new Map<string, { at: number; noted: number }>();
  /** Sessions that could not be stored; they end with this process. */
  readonly #unstored = new Map<string, SessionRow>();
  /** Ended, but still in the database because a write failed. */
  readonly #ended = new Set<string>();
  readonly #paces = new Map<string, Pace>();

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  async start(caller: Caller): Promise<{ readonly token: string; readonly endsAt: string }> {
    const now = this.#deps.now();
    this.#pace(caller.keyName, now.getTime());
    const key = await this.#deps.keys.validKey(caller.keyName);
    if (key === null) throw new ServiceError(codes.Unauthorized, 'sign in', 'the key is no longer valid');
    const token = `pms_${randomBytes(32).toString('base64url')}`;
    const at = now.toISOString();
    const row: SessionRow = {
      hash: sha256(token),
      key_name: caller.keyName,
      key_proof: proofOf(token, key.hash),
      created_at: at,
      last_used_at: at,
    };
    await this.#keep(row, now, caller);
    this.#deps.emit('operation.done', { operation: 'sign_in', caller, subject: { from: caller.source } });
    return { token, endsAt: endOf(row) };
  }

  async authenticate(token: string): Promise<SessionHolder | null> {
    const hash = sha256(token);
    const row = this.#unstored.get(hash) ?? (await this.#deps.store.find(hash));
    const now = this.#deps.now().getTime();
    if (row === null || this.#ended.has(hash) || this.#isOver(row, now)) return null;
    const key = await this.#deps.keys.validKey(row.key_name);
    if (key === null || proofOf(token, key.hash) !== row.key_proof) return null;
    this.#use(row, now);
    return {
      name: row.key_name,
      scopes: key.scopes,
      ...(key.source !== undefined && { source: key.source }),
      sessionEndsAt: endOf(row),
    };
  }

  /** At once, in every tab. @throws if it could not be stored: it has ended, but a restart brings it back */
  async end(token: string, caller: Caller): Promise<void> {
    const hash = sha256(token);
    this.#ended.add(hash);
    this.#used.delete(hash);
    this.#unstored.delete(hash);
    await this.#deps.store.end(hash, this.#deps.now(), auditedChange('sign_out', caller, {}));
    this.#ended.delete(hash);
    this.#deps.emit('operation.done', { operation: 'sign_out', caller, subject: { from: caller.source } });
  }

  /** A full disk must not prevent sign-in: only a restart of the service needs the row. */
  async #keep(row: SessionRow, now: Date, caller: Caller): Promise<void> {
    const before = (ms: number): string => new Date(now.getTime() - ms).toISOString();
    const retention = {
      createdBefore: before(longestMs),
      createdAfter: before(-clockStepMs),
      usedBefore: before(idleMs),
      mostOfKey,
    };
    for (const [hash, { at }] of this.#used) if (now.getTime() - at > idleMs) this.#used.delete(hash);
    try {
      await this.#deps.store.start(row, retention, auditedChange('sign_in', caller, {}));
    } catch (error) {
      this.#deps.log.warn('Session could not be stored; it ends with the service', { cause: causeText(error) });
      for (const [hash, other] of this.#unstored) if (this.#isOver(other, now.getTime())) this.#unstored.delete(hash);
      const [oldest] = this.#unstored.keys();
      if (this.#unstored.size >= mostUnstored && oldest !== undefined) this.#unstored.delete(oldest);
      this.#unstored.set(row.hash, row);
    }
  }

  #isOver(row: SessionRow, now: number): boolean {
    const used = Math.max(Date.parse(row.last_used_at), this.#used.get(row.hash)?.at ?? 0);
    const age = now - Date.parse(row.created_at);
    // Started by a clock that was ahead: its age is unknown, and by its own times it would hardly end.
    return age >= longestMs || age < -clockStepMs || now - used >= idleMs;
  }

  /** Written at most once a minute: a request must not cost a disk sync. */
  #use(row: SessionRow, now: number): void {
    const noted = this.#used.get(row.hash)?.noted ?? Date.parse(row.last_used_at);
    // In both directions: the clock may have been set back.
    const due = Math.abs(now - noted) >= noteUseEveryMs && !this.#unstored.has(row.hash);
    this.#used.set(row.hash, { at: now, noted: due ? now : noted });
    if (!due) return;
    this.#deps.store.touch(row.hash, new Date(now)).catch((error: unknown) => {
      this.#deps.log.warn('Last use of a session could not be recorded', {
        key: row.key_name,
        cause: causeText(error),
      });
    });
  }

  /** @throws ServiceError 503 */
  #pace(keyName: string, now: number): void {
    const known = this.#paces.get(keyName);
    // In both directions: the clock may have been set back.
    const runs = known !== undefined && now < known.endsAt && now >= known.endsAt - paceMs;
    const pace = runs ? known : { endsAt: now + paceMs, starts: 0 };
    this.#paces.set(keyName, pace);
    pace.starts += 1;
    if (pace.starts <= startsAMinute) return;
    const detail = `more than ${startsAMinute} sessions of the key ${keyName} were started within a minute; retry shortly`;
    const retryAfterSeconds = Math.max(1, Math.ceil((pace.endsAt - now) / 1_000));
    throw new ServiceError(codes.TooMuchAtOnce, 'sign in', detail, { retryAfterSeconds });
  }
}

function endOf(row: SessionRow): string {
  return new Date(Date.parse(row.created_at) + longestMs).toISOString();
}

function proofOf(token: string, keyHash: string): string {
  return sha256(`${token} ${keyHash}`);
}

function sha256(text: string): string {
  return digest('sha256', text, 'hex');
}

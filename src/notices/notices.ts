// Notices for the people on call: written from facts, read by the panel.
import type { Caller } from '../api/caller.ts';
import type { NoticePage, NoticesRead } from '../api/notices.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { FactListener, FactType } from '../events/facts.ts';
import { type NoticeStep, type NoticesStore, subjectOf } from '../store/notices-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { nameOfSubject, stepsFor } from './notice-steps.ts';

/** While the database rejects writes. Older ones are dropped, and logged. */
const mostWaiting = 1_000;
const mostSubjectsLogged = 5;
const retryMs = 5_000;

interface Deps {
  readonly store: NoticesStore;
  readonly log: Log;
  readonly now: () => Date;
}

export class Notices {
  readonly #deps: Deps;
  #waiting: NoticeStep[] = [];
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #failing = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  readonly listener: FactListener = ({ type, data }) => {
    const steps = stepsFor(type, data);
    if (steps.length === 0) return;
    const at = this.#deps.now();
    this.#wait([...this.#waiting, ...steps.map((step) => ({ ...step, at }))]);
    void this.flush();
  };

  /** Newest first. @param limit the maximum, up to 1,000  @param admin false: without details for administrators */
  async list(caller: Pick<Caller, 'keyName'>, limit: number, admin: boolean): Promise<NoticePage> {
    await this.flush();
    const { store } = this.#deps;
    const [rows, readUpTo] = await Promise.all([store.list(limit), store.readUpTo(caller.keyName)]);
    return {
      items: rows.map(({ subject: _, detail_for_admins: adminsOnly, detail, ...row }) => ({
        ...row,
        detail: adminsOnly === 1 && !admin ? null : detail,
        read: row.id <= readUpTo,
      })),
      unread: await store.countAfter(readUpTo),
    };
  }

  /** The names of what has an open notice of this type, such as the domains of `site.down`. */
  async openOf(type: FactType): Promise<readonly string[]> {
    await this.flush();
    return (await this.#deps.store.openSubjects(type)).map(nameOfSubject);
  }

  /** Everything up to that notice is read by the key. Errors: 7017. */
  async read(caller: Pick<Caller, 'keyName'>, upTo: number): Promise<NoticesRead> {
    await this.flush();
    const { store, now } = this.#deps;
    const newest = await store.newest();
    if (upTo > newest) {
      const why = `up_to is ${upTo}, and ${newest === 0 ? 'there are no notices' : `the newest notice is ${newest}`}`;
      throw new ServiceError(codes.NoSuchNotice, 'read notices', why);
    }
    await store.read(caller.keyName, upTo, now());
    const readUpTo = await store.readUpTo(caller.keyName);
    return { up_to: readUpTo, unread: await store.countAfter(readUpTo) };
  }

  /** Writes what waits. Never rejects: failed writes are retried. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Keeps the newest; those of an attempt that failed and those that came meanwhile may be too many. */
  #wait(steps: readonly NoticeStep[]): void {
    this.#waiting = steps.slice(-mostWaiting);
    const dropped = steps.length - this.#waiting.length;
    if (dropped === 0) return;
    const subjects = [...new Set(steps.slice(0, dropped).map(subjectOf))].slice(0, mostSubjectsLogged);
    this.#deps.log.error('Notices were lost: the database rejected notices for too long', { lost: dropped, subjects });
  }

  async #write(): Promise<void> {
    const steps = this.#waiting;
    if (steps.length === 0) return;
    this.#waiting = [];
    try {
      await this.#deps.store.apply(steps);
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#deps.log.warn('Notices could not be stored; retrying', { cause: causeText(error) });
      this.#failing = true;
      this.#wait([...steps, ...this.#waiting]);
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.flush(), retryMs).unref();
    }
  }
}

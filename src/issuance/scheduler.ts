// Begins orders that are due, continues open ones, and asks for renewal windows.
import { crashPoint } from '../faults/crash-point.ts';
import type { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import type { Limit } from '../store/acme-limits.ts';
import type { AcmeOrdersStore } from '../store/acme-orders-store.ts';
import type { AcmeTimesStore } from '../store/acme-times-store.ts';
import type { WantedCertificate } from '../store/wanted-certificate.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { wrongByMs } from './authority-clock.ts';
import type { AuthorityPauses } from './authority-pauses.ts';
import type { OrderDriver } from './order-driver.ts';
import { CLOCK_PROBLEM, ownProblem } from './problems.ts';
import type { RenewalWindows } from './renewal-windows.ts';
import { FURTHEST_MS, LEAST_LEFT } from './schedule.ts';

interface SchedulerDeps {
  readonly orders: AcmeOrdersStore;
  readonly wanted: AcmeCertificatesStore;
  readonly times: AcmeTimesStore;
  readonly pauses: AuthorityPauses;
  readonly driver: OrderDriver;
  readonly windows: RenewalWindows;
  /** For new orders. */
  readonly directory: string;
  readonly profile: string | null;
  /** Another one after other settings. */
  readonly settingsId: string;
  /** How far the clock of this machine is ahead of the authority's; null: not known. */
  readonly clockOffsetMs: () => number | null;
  /** An order ended or waits: call `tick` soon. */
  readonly onChange: () => void;
  readonly log: Pick<Log, 'error'>;
  readonly now: () => Date;
}

const ORDERS_AT_ONCE = 4;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Below what authorities allow: 5 a week. */
export const ISSUES: readonly Limit[] = [
  { most: 2, withinMs: DAY_MS },
  { most: 4, withinMs: 7 * DAY_MS },
];
/** Authorities allow 5. */
export const FAILED_VALIDATIONS: Limit = { most: 3, withinMs: HOUR_MS };
const RETRY_MS = 60_000;

export interface Tick {
  /** When to call again at the latest, apart from what is worked at; null: nothing is due. */
  readonly next: Date | null;
  /** Orders, and a renewal window, that are worked at: the end of each calls `onChange`. */
  readonly working: number;
}

export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #running = new Map<number, Promise<void>>();
  /** Open orders that wait, by id, since a time. Others are due. */
  readonly #waiting = new Map<number, { readonly at: Date; readonly since: Date }>();
  #asking: Promise<void> | null = null;
  #notAskedBefore: Date | null = null;
  #stopped = false;
  #knowsSettings = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** One call at a time. Throws errors of the database. */
  async tick(): Promise<Tick> {
    const { orders, wanted, times, settingsId, now } = this.#deps;
    await times.bringBack(FURTHEST_MS, LEAST_LEFT, now());
    if (!this.#knowsSettings) await wanted.dueAfterChange(settingsId, now());
    this.#knowsSettings = true;
    const open = (await orders.allOpen()).map(({ id }) => id);
    for (const id of this.#waiting.keys()) {
      if (open.includes(id)) continue;
      this.#waiting.delete(id);
      this.#continue(id);
    }
    for (const id of open) this.#continue(id);
    const blocked = await this.#begin();
    const window = await this.#askForWindow();
    const due = await wanted.nextDue(this.#aheadMs());
    const idle = due === null ? null : blocked === null ? due : later(due, blocked);
    const waits = [...this.#waiting.values()].map(({ at }) => at);
    const next = [...waits, window, idle].filter((one) => one !== null);
    return {
      next: next.length === 0 ? null : new Date(Math.max(Math.min(...next.map(Number)), now().getTime())),
      working: this.#running.size + (this.#asking === null ? 0 : 1),
    };
  }

  /** Orders take no further step; what fails from now on is not logged. Resolves when no order is worked at. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#deps.driver.stop();
    await this.idle();
  }

  /** Resolves when nothing is worked at. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values(), this.#asking]);
  }

  /** Orders do not wait for its answer. Returns when to call again; null: the end of the request calls. */
  async #askForWindow(): Promise<Date | null> {
    const { windows, onChange, log, now } = this.#deps;
    if (this.#asking !== null) return null;
    const next = await windows.next();
    if (next === null) return null;
    const at = this.#notAskedBefore === null ? next : later(next, this.#notAskedBefore);
    if (at > now()) return at;
    this.#notAskedBefore = null;
    this.#asking = windows
      .ask()
      .catch((error: unknown) => {
        this.#notAskedBefore = new Date(now().getTime() + RETRY_MS);
        if (!this.#stopped) log.error('Renewal window not stored; retrying', { cause: causeText(error) });
      })
      .finally(() => {
        this.#asking = null;
        onChange();
      });
    return null;
  }

  /** Returns until when none begins; null: as soon as one is due. */
  async #begin(): Promise<Date | null> {
    const { orders, wanted, pauses, directory, now } = this.#deps;
    const paused = await pauses.until(directory, true);
    if (paused !== null) return paused;
    for (;;) {
      const all = await orders.allOpen();
      // One that waits for the clock of this machine does so for days, and asks for nothing: its place is for others.
      const open = all.filter((one) => one.directory === directory && one.problem?.type !== CLOCK_PROBLEM);
      // The end of one of them calls again.
      if (open.length >= ORDERS_AT_ONCE) return FAR;
      const busy = new Set(all.flatMap(({ names }) => names));
      // If the authority limits it again, that would pause those that have not reached it yet.
      const isBegun = open.every(({ state }) => state !== 'planned');
      const due = await wanted.due(now(), ORDERS_AT_ONCE + all.length, this.#aheadMs());
      const next = due.find(
        ({ names, dueBy }) => !names.some((name) => busy.has(name)) && (dueBy !== 'limit' || isBegun),
      );
      if (next === undefined) return due.length === 0 ? null : FAR;
      await this.#plan(next);
    }
  }

  /** By a wrong clock everything would be renewed too early, or too late. */
  #aheadMs(): number {
    return wrongByMs(this.#deps.clockOffsetMs());
  }

  async #plan(certificate: WantedCertificate): Promise<void> {
    const { wanted, directory, profile, settingsId, now } = this.#deps;
    const replaces = certificate.directory === directory ? certificate.ariId : null;
    const limits = { issues: ISSUES, failedValidations: FAILED_VALIDATIONS };
    const plan = { directory, profile: certificate.profile ?? profile, replaces, ...limits };
    const planned = await wanted.plan(certificate, plan, now());
    if (planned === null) return;
    if (planned.ok) {
      crashPoint('acme.planned');
      this.#continue(planned.order.id);
      return;
    }
    const { until, limit, name } = planned;
    const detail = `${limitText(limit, name)}; the service orders no more, to stay below the limits of authorities`;
    const problem = { ...ownProblem('limited', { type: 'limit', detail }, now()), settings: settingsId };
    await wanted.limited(certificate.id, until, problem);
  }

  #continue(id: number): void {
    const { driver, onChange, log, now } = this.#deps;
    const waits = this.#waiting.get(id);
    // One that began in the future began while the clock was ahead.
    const isDue = waits === undefined || waits.at <= now() || waits.since > now();
    if (this.#running.has(id) || !isDue) return;
    this.#waiting.delete(id);
    const work = driver
      .advance(id)
      .catch((error: unknown) => {
        // The database may be closed by now.
        if (!this.#stopped) {
          log.error('Order of a certificate not continued; retrying', { order: id, cause: causeText(error) });
        }
        return new Date(now().getTime() + RETRY_MS);
      })
      .then((at) => {
        if (at !== null) this.#waiting.set(id, { at, since: now() });
        this.#running.delete(id);
        onChange();
      });
    this.#running.set(id, work);
  }
}

function limitText({ most, withinMs }: Limit, name: string | null): string {
  const hours = withinMs / HOUR_MS;
  const time = hours === 1 ? 'an hour' : hours <= 24 ? `${hours} hours` : `${hours / 24} days`;
  if (name === null) return `the certificate was ordered ${most} times from this authority within ${time}`;
  return `the validation of ${name} by this authority failed ${most} times within ${time}`;
}

/** The end of an order calls earlier. */
const FAR = new Date(8_640_000_000_000_000);

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}

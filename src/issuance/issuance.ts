// Certificates of an ACME authority: ordered, renewed, and handed to `Certificates`, which installs them.
import { hash, type KeyObject } from 'node:crypto';
import type { AcmeClient } from '../acme/authority.ts';
import type { Caller } from '../api/caller.ts';
import { KickablePause, withTimeout } from '../concurrency/pause.ts';
import type { Sealer } from '../secrets/sealed.ts';
import type { AcmeAccountsStore, AcmePause } from '../store/acme-accounts-store.ts';
import type { AcmeCertificatesStore, NamesOrdered } from '../store/acme-certificates-store.ts';
import type { AcmeOrdersStore, ChallengeType, IssuanceOrder } from '../store/acme-orders-store.ts';
import type { AcmeTimesStore } from '../store/acme-times-store.ts';
import { auditedChange } from '../store/audit-rows.ts';
import type { IssuanceProblem } from '../store/issuance-problem.ts';
import type { WantedCertificate } from '../store/wanted-certificate.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { type Certificates, createId } from '../tls/certificates.ts';
import { type AccountSettings, Accounts } from './accounts.ts';
import { AuthorityPauses } from './authority-pauses.ts';
import { ChallengeBoard, type ChallengePresenter } from './challenge-board.ts';
import { OrderAges } from './order-ages.ts';
import { OrderDriver } from './order-driver.ts';
import { RenewalWindows } from './renewal-windows.ts';
import { Runner } from './runner.ts';
import { Scheduler, type Tick } from './scheduler.ts';

export interface IssuanceSettings extends AccountSettings {
  /** Null: the authority's default. */
  readonly profile: string | null;
}

interface Requested {
  readonly profile?: string | null;
  readonly challenge?: ChallengeType;
  /** Of a certificate that is not ordered yet, whose next version it becomes; null: another one. */
  readonly id?: string | null;
}

/** The ACME protocol. */
export interface Acme {
  connect(directory: string, accountKey: KeyObject): AcmeClient;
  keyAuthorization(token: string, accountKey: KeyObject): string;
  /** DER, signed with the key. */
  createCsr(names: readonly string[], key: KeyObject): Uint8Array;
  /** RFC 9773, 4.1; null: the certificate has none. */
  renewalId(certificatePem: string): string | null;
}

interface IssuanceDeps {
  readonly settings: IssuanceSettings;
  readonly orders: AcmeOrdersStore;
  readonly wanted: AcmeCertificatesStore;
  readonly accounts: AcmeAccountsStore;
  readonly times: AcmeTimesStore;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly certificates: Pick<Certificates, 'putIssued' | 'owners' | 'livesFor'>;
  readonly acme: Acme;
  readonly presenters: Readonly<Record<ChallengeType, ChallengePresenter>>;
  /** An order ended; null: with a certificate. */
  readonly onEnded: (order: IssuanceOrder, failure: IssuanceProblem | null) => void;
  /** The authority is not asked for a while. */
  readonly onPaused: (pause: AcmePause) => void;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly now: () => Date;
  /** How far the clock of this machine is ahead of the authority's; null: not known. */
  readonly clockOffsetMs: () => number | null;
  /** In ms, by a clock that is never set. */
  readonly elapsed: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

const LOOK_MS = 60_000;
const STOP_MS = 2_000;

export class Issuance {
  readonly #deps: IssuanceDeps;
  readonly #scheduler: Scheduler;
  readonly #board: ChallengeBoard;
  readonly #timer = new KickablePause();
  readonly #stop = new AbortController();
  #loop: Promise<void> | null = null;

  constructor(deps: IssuanceDeps) {
    this.#deps = deps;
    const { settings, orders, wanted, sealer, certificates, acme, presenters } = deps;
    const { onEnded, onPaused, log, now, random, clockOffsetMs } = deps;
    const settingsId = idOf(settings);
    const accounts = new Accounts({
      ...{ store: deps.accounts, sealer, settings, log, now },
      connect: (directory, key) => acme.connect(directory, key),
      createId: () => createId().replace('c-', 'a-'),
    });
    this.#board = new ChallengeBoard({ presenters, log });
    const ages = new OrderAges(deps.elapsed);
    const runner = new Runner({
      ...{ orders, wanted, accounts, sealer, certificates, board: this.#board, ages, now, random, clockOffsetMs },
      keyAuthorization: (token, key) => acme.keyAuthorization(token, key),
      createCsr: (names, key) => acme.createCsr(names, key),
      renewalId: (pem) => acme.renewalId(pem),
    });
    const pauses = new AuthorityPauses({ store: deps.accounts, onPaused, log, now });
    const driver = new OrderDriver({
      ...{ orders, wanted, pauses, accounts, runner, ages, settingsId, board: this.#board, onEnded, log, now, random },
    });
    const windows = new RenewalWindows({ wanted, accounts, pauses, log, now, random });
    const { directory, profile } = settings;
    const onChange = () => this.#timer.kick();
    this.#scheduler = new Scheduler({
      ...{ orders, wanted, times: deps.times, pauses, driver, windows, directory, profile, settingsId },
      ...{ clockOffsetMs, onChange, log, now },
    });
  }

  /** Before a request: whether challenges of these names would be shown. Throws `ChallengeNotShown`. */
  async test(type: ChallengeType, names: readonly string[]): Promise<void> {
    await this.#board.test(type, names);
  }

  /** Ordered soon. `added` false: these names are ordered already; `ordered`: some of them are, with others. */
  async request(
    names: readonly string[],
    { profile = null, challenge = 'http-01', id: given = null }: Requested,
    caller: Caller,
  ): Promise<{ readonly certificate: WantedCertificate; readonly added: boolean } | NamesOrdered> {
    const { wanted, settings, now } = this.#deps;
    const id = given ?? createId();
    const audited = auditedChange('request_certificate', caller, { target: id, details: { names } });
    const { directory } = settings;
    const added = await wanted.add({ id, directory, names, challenge, profile }, now(), audited);
    if (added !== null && added !== true) return added;
    const certificate = await wanted.ofNames(names);
    if (certificate === null) throw new Error(`the order of ${id} was removed while it was stored`);
    this.#timer.kick();
    return { certificate, added: added !== null };
  }

  /** Ordered soon, within the limits, also if it was not to be repeated. Null: there is none of this id. */
  async renew(id: string, caller: Caller): Promise<WantedCertificate | null> {
    const { wanted, now } = this.#deps;
    const audited = auditedChange('renew_certificate', caller, { target: id });
    if ((await wanted.demand(id, now(), audited)) === null) return null;
    this.#timer.kick();
    return await wanted.get(id);
  }

  /** Nothing is ordered any more; a certificate stays. Null: there is none of this id. */
  async forget(id: string, caller: Caller): Promise<true | null> {
    const { wanted, now } = this.#deps;
    const removed = await wanted.remove(id, now(), auditedChange('stop_renewal', caller, { target: id }));
    if (removed !== null) await this.#board.clear();
    return removed;
  }

  /** In order of ids. */
  async all(): Promise<readonly WantedCertificate[]> {
    return await this.#deps.wanted.all();
  }

  /** Of new orders. `account` null: it is made with the first. */
  async account(): Promise<{ readonly directory: string; readonly account: string | null }> {
    const { directory } = this.#deps.settings;
    return { directory, account: (await this.#deps.accounts.get(directory))?.url ?? null };
  }

  async get(id: string): Promise<WantedCertificate | null> {
    return await this.#deps.wanted.get(id);
  }

  /** The newest first. */
  async attempts(id: string, limit: number): Promise<readonly IssuanceOrder[]> {
    return await this.#deps.orders.ofCertificate(id, limit);
  }

  /** Those in force. */
  async pauses(): Promise<readonly AcmePause[]> {
    const now = this.#deps.now();
    return (await this.#deps.accounts.pauses()).filter(({ until }) => until > now);
  }

  /** What the loop does, once, until no order is worked at. For tests, which have a clock of their own. */
  async tick(): Promise<Tick> {
    const tick = await this.#look();
    await this.#scheduler.idle();
    return tick;
  }

  /** Open orders go on where they were. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Waits for a short time only: an order goes on after any interruption. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await withTimeout(Promise.all([this.#loop, this.#scheduler.stop()]), STOP_MS);
  }

  /** At least every minute. */
  async #look(): Promise<Tick> {
    await this.#board.retryClear(this.#deps.now());
    return await this.#scheduler.tick();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    // A crash may have left answers of orders that are closed.
    await this.#board.clear();
    let failing = false;
    while (!signal.aborted) {
      this.#timer.begin();
      let next: Date | null = null;
      try {
        next = (await this.#look()).next;
        failing = false;
      } catch (error) {
        if (!failing) this.#deps.log.error('Orders of certificates not checked; retrying', { cause: causeText(error) });
        failing = true;
      }
      const wait = next === null ? LOOK_MS : Math.min(next.getTime() - this.#deps.now().getTime(), LOOK_MS);
      if (!this.#timer.kicked) await this.#timer.wait(Math.max(wait, failing ? LOOK_MS : 0), { signal, ref: false });
    }
  }
}

/** Of these settings: orders that other settings would avoid are repeated with them. */
function idOf({ externalAccount, ...settings }: IssuanceSettings): string {
  const key = externalAccount === null ? null : [externalAccount.kid, hash('sha256', externalAccount.hmacKey)];
  return hash('sha256', JSON.stringify({ ...settings, key })).slice(0, 16);
}

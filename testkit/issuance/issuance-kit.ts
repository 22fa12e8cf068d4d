// Issuance with a real database, an authority of the tests, and a clock that the test moves.
import { existsSync } from 'node:fs';
import type { Caller } from '../../src/api/caller.ts';
import { pause } from '../../src/concurrency/pause.ts';
import type { ChallengePresenter } from '../../src/issuance/challenge-board.ts';
import { Issuance, type IssuanceSettings } from '../../src/issuance/issuance.ts';
import { NoSealer } from '../../src/secrets/no-sealer.ts';
import { SECRET_LENGTH, Sealer } from '../../src/secrets/sealed.ts';
import { SecretUnusable } from '../../src/secrets/secret-file.ts';
import { AcmeAccountsStore } from '../../src/store/acme-accounts-store.ts';
import { AcmeCertificatesStore } from '../../src/store/acme-certificates-store.ts';
import { AcmeOrdersStore, type IssuanceOrder } from '../../src/store/acme-orders-store.ts';
import { AcmeTimesStore } from '../../src/store/acme-times-store.ts';
import { CertificatesStore } from '../../src/store/certificates-store.ts';
import type { IssuanceProblem } from '../../src/store/issuance-problem.ts';
import type { Database } from '../../src/store/open-database.ts';
import { Certificates } from '../../src/tls/certificates.ts';
import { NOON, StoreFolder } from '../store/store-folder.ts';
import { FakeInstaller } from '../tls/uploads.ts';
import { FakeAuthority, type TestAuthority } from './fake-authority.ts';

export const caller: Caller = { keyName: 'ops', requestId: 'r1', source: 'unix', receivedAt: 0 };

/** Numbers from 0 up to 1, the same in each run. */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

/** `realTime`: the clock cannot be moved. */
export class IssuanceKit<Authority extends TestAuthority = FakeAuthority> {
  /** In memory: an order has ten transactions, and each waits for the disk. */
  readonly folder = new StoreFolder(existsSync('/dev/shm') ? '/dev/shm' : undefined);
  readonly authority: Authority;
  readonly #realTime: boolean;
  readonly installer = new FakeInstaller();
  readonly ended: string[] = [];
  readonly logged: string[] = [];
  /** Throws to fail the display of challenges. */
  showing: () => void = () => undefined;
  /** Whether challenges of these names would be shown. */
  isShown: (names: readonly string[]) => boolean = () => true;
  refusedByProxy: string | null = null;
  /** Called when an order ended; null: with a certificate. */
  onEnded: (order: IssuanceOrder, failure: IssuanceProblem | null) => void = () => undefined;
  /** Of the next start: shows challenges by dns-01; null: as by http-01. */
  dnsPresenter: ((orders: AcmeOrdersStore) => ChallengePresenter) | null = null;
  /** Of the next start; null: it is missing. */
  secret: number | null = 1;
  /** Of the next start. */
  settings: Partial<IssuanceSettings> = {};
  now = NOON.getTime();
  /** What the service takes for the time, less what it is. */
  skew = 0;
  /** Whether the service knows the clock of the authority. */
  knowsTime = false;
  /** In real time: instead of a longer wait, the service's clock is moved. */
  longestWaitMs = Number.POSITIVE_INFINITY;
  database!: Database;
  issuance!: Issuance;
  certificates!: Certificates;
  orders!: AcmeOrdersStore;
  wanted!: AcmeCertificatesStore;
  accounts!: AcmeAccountsStore;
  readonly #random = seeded();

  private constructor(authority: Authority | ((now: () => Date) => Authority)) {
    this.#realTime = typeof authority !== 'function';
    this.authority = typeof authority === 'function' ? authority(() => new Date(this.now)) : authority;
  }

  static async open(): Promise<IssuanceKit> {
    return await new IssuanceKit((now) => new FakeAuthority(now)).#opened();
  }

  static async openWith<Authority extends TestAuthority>(authority: Authority): Promise<IssuanceKit<Authority>> {
    return await new IssuanceKit(authority).#opened();
  }

  async #opened(): Promise<this> {
    this.database = await this.folder.open();
    this.restart();
    return this;
  }

  /** Only the database is left. */
  restart(): void {
    const { database, authority } = this;
    const now = () => new Date((this.#realTime ? Date.now() : this.now) + this.skew);
    const missing = new SecretUnusable('missing', 'the secret is missing');
    const sealer = this.secret === null ? new NoSealer(missing) : new Sealer(Buffer.alloc(SECRET_LENGTH, this.secret));
    const log = {
      warn: (message: string, fields?: object) => void this.logged.push(`${message} ${JSON.stringify(fields)}`),
      error: (message: string, fields?: object) => void this.logged.push(`${message} ${JSON.stringify(fields)}`),
    };
    this.orders = new AcmeOrdersStore(database);
    this.wanted = new AcmeCertificatesStore(database);
    this.accounts = new AcmeAccountsStore(database);
    this.certificates = new Certificates({
      store: new CertificatesStore(database),
      ...{ sealer, installer: this.installer, log, now },
      refusedByProxy: async () => this.refusedByProxy,
    });
    const { orders, wanted, accounts, certificates } = this;
    const show = async () => {
      this.showing();
      authority.shown = await orders.challenges();
      return null;
    };
    const test = async (names: readonly string[]) => {
      if (!this.isShown(names)) throw new Error(`another front end answers for ${names.join()}`);
      return await show();
    };
    const presenter = { test, show, clear: async () => void (await show()) };
    this.issuance = new Issuance({
      settings: {
        directory: authority.directory,
        profile: null,
        contacts: [],
        termsAgreed: true,
        externalAccount: null,
        ...this.settings,
      },
      ...{ orders, wanted, accounts, sealer, certificates, acme: authority, log, now, random: this.#random },
      presenters: { 'http-01': presenter, 'dns-01': this.dnsPresenter?.(orders) ?? presenter },
      times: new AcmeTimesStore(database),
      clockOffsetMs: () => (this.knowsTime ? this.skew : null),
      elapsed: () => (this.#realTime ? performance.now() : this.now),
      onPaused: () => undefined,
      onEnded: (order, failure) => {
        this.ended.push(`${order.names.join()}: ${failure?.type ?? 'issued'}`);
        this.onEnded(order, failure);
      },
    });
  }

  async remove(): Promise<void> {
    await this.folder.remove();
  }

  async request(...names: readonly string[]): Promise<string> {
    const requested = await this.issuance.request(names, {}, caller);
    if ('ordered' in requested) throw new Error(`ordered with others: ${names.join()}`);
    return requested.certificate.id;
  }

  /** Does what is due, and moves the clock to what is due next, until it has passed `ms`. `each`: after each look. */
  async pass(ms: number, each: () => Promise<void> | void = () => undefined): Promise<void> {
    const end = this.now + ms;
    while (this.now <= end) {
      const next = await this.settle();
      await each();
      if (next === null || next > end) break;
      this.now = next;
    }
    this.now = end;
  }

  /** Does what is due; returns when the next is, by the clock of the authority. */
  async settle(): Promise<number | null> {
    for (let looks = 0; looks < 1_000; looks += 1) {
      const { next, working } = await this.issuance.tick();
      if (working > 0) continue;
      if (next === null) return null;
      const at = next.getTime() - this.skew;
      if (at > this.now) return at;
    }
    throw new Error('something stays due');
  }

  /** Does what is due, and waits for what is due next. False: no order is open. */
  async advance(): Promise<boolean> {
    if (this.#realTime) this.now = Date.now();
    const next = await this.settle();
    if ((await this.orders.allOpen()).length === 0) return false;
    if (this.#realTime) await this.#waitUntil(next ?? 0);
    else if (next !== null) this.now = next;
    return true;
  }

  /** @param at by the clock of the authority */
  async #waitUntil(at: number): Promise<void> {
    const waitMs = Math.max(at - Date.now(), 0);
    if (waitMs > this.longestWaitMs) this.skew += waitMs;
    else await pause(waitMs);
  }

  /** In real time: waits while orders are open, and moves the service's clock while none is, by `ms` in all. */
  async passMoved(ms: number): Promise<void> {
    const end = this.skew + ms;
    while (this.skew < end) {
      if (await this.advance()) continue;
      const next = await this.settle();
      this.skew += next === null ? ms : Math.max(next - Date.now(), 0);
    }
  }

  async untilIdle(): Promise<void> {
    for (let looks = 0; looks < 1_000; looks += 1) if (!(await this.advance())) return;
    throw new Error('orders stay open');
  }
}

// What is wrong with the certificates, for `/health` and the metrics.
import type { Certificate } from '../api/certificate-records.ts';
import { quote } from '../domain/quote.ts';
import type { CertificateOperations } from './certificate-operations.ts';
import type { Certificates } from './certificates.ts';
import type { CertificateInstaller } from './installation.ts';

/** An installation, and the repair of a new worker, take less. */
const LACKING_MS = 10_000;
/** Two rounds of the comparison. */
const UNKNOWN_MS = 60_000;
const NAMED = 5;
const PAGE = 100;

interface CertificateHealthDeps {
  readonly certificates: Pick<Certificates, 'ids' | 'get' | 'unopened'>;
  readonly operations: Pick<CertificateOperations, 'list'>;
  readonly installer: Pick<CertificateInstaller, 'held'>;
  /** Milliseconds, monotonic. */
  readonly monotonicNow?: () => number;
}

export class CertificateHealth {
  readonly #deps: CertificateHealthDeps;
  readonly #now: () => number;
  /** Since when a certificate is not held by every current worker, or not known to be. */
  #since = new Map<string, number>();

  constructor(deps: CertificateHealthDeps) {
    this.#deps = deps;
    this.#now = deps.monotonicNow ?? (() => performance.now());
  }

  /** Each as a sentence. @throws when the database cannot be read */
  async problems(): Promise<readonly string[]> {
    return [...(await this.#expired()), ...(await this.#lacking()), ...this.#unreadable()];
  }

  /** Current workers that lack a certificate; 0 also while it is not known. @throws as `problems` */
  async workersBehind(): Promise<number> {
    const behind = new Set<number>();
    for (const id of await this.#deps.certificates.ids()) {
      for (const { pid, role, holds } of this.#deps.installer.held(id)?.workers ?? [])
        if (role === 'current' && !holds) behind.add(pid);
    }
    return behind.size;
  }

  async #expired(): Promise<readonly string[]> {
    const { items } = await this.#deps.operations.list({ limit: PAGE, state: 'expired' });
    const used = items.filter(({ sites_total: total }) => total > 0);
    return firstOf(used, 'expired certificates', ({ id, sites, not_after }: Certificate) => {
      return `certificate ${id} of the site ${sites.join(', ')} expired at ${not_after}: replace it`;
    });
  }

  async #lacking(): Promise<readonly string[]> {
    const now = this.#now();
    const since = new Map<string, number>();
    const late: { id: string; why: string }[] = [];
    for (const id of await this.#deps.certificates.ids()) {
      const held = this.#deps.installer.held(id);
      if (held?.runtimeUpdated === true) continue;
      const began = this.#since.get(id) ?? now;
      since.set(id, began);
      if (held !== null && now - began > LACKING_MS) {
        const worker = held.workers.find(({ role, holds }) => role === 'current' && !holds);
        const why = worker === undefined ? 'no current worker holds it' : `worker ${worker.pid}: ${worker.reason}`;
        late.push({ id, why });
      } else if (held === null && now - began > UNKNOWN_MS) late.push({ id, why: 'not known to be in any worker' });
    }
    this.#since = since;
    return firstOf(
      late,
      'certificates',
      ({ id, why }) => `certificate ${id}: not served by every current worker: ${why}`,
    );
  }

  #unreadable(): readonly string[] {
    const unopened = [...this.#deps.certificates.unopened()];
    const [first] = unopened;
    if (first === undefined) return [];
    const [id, why] = first;
    if (unopened.length === 1) return [`certificate ${id}: ${why}`];
    return [`the private keys of ${unopened.length} certificates cannot be read, such as ${quote(id)}: ${why}`];
  }
}

/** The first of them, and how many more there are. */
function firstOf<T>(all: readonly T[], what: string, sentence: (one: T) => string): readonly string[] {
  const more = all.length - NAMED;
  return [...all.slice(0, NAMED).map(sentence), ...(more > 0 ? [`${what}: the same for ${more} more`] : [])];
}

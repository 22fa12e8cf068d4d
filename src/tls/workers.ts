// Which worker was read back to hold which certificate, and the way of one certificate into all workers.
import { pause } from '../concurrency/pause.ts';
import { crashPoint } from '../faults/crash-point.ts';
import {
  type CertificateForWorker,
  type Holding,
  mayPass,
  type NotHeld,
  type RuntimeCertificates,
} from '../haproxy/certificates/runtime-certificates.ts';
import { type Processes, showProcesses, type Worker } from '../haproxy/process/workers.ts';
import { type Deadline, type MasterSocket, MasterSocketError } from '../haproxy/socket/master-socket.ts';
import { mayBeReload } from '../haproxy/socket/master-socket-error.ts';
import type { CertificateToInstall, WorkerCertificate } from './installation.ts';

const POLL_MS = 50;
const otherVersion = 'this version is not installed yet';

/** A version of a certificate. */
export type CertificateKey = Pick<CertificateToInstall, 'id' | 'version'>;

export interface KnownWorker {
  readonly pid: number;
  readonly startTime: number | null;
  readonly role: 'current' | 'draining';
}

/** `version`: the one that was compared. */
export type Held = Holding & { readonly version: number };

interface Verdicts {
  worker: KnownWorker;
  /** By id; absent: not read back yet. */
  readonly holdings: Map<string, Held>;
  /** By id, of `performance.now()`: since when it is known to be lacking. */
  readonly since: Map<string, number>;
}

interface TlsWorkersDeps {
  readonly socket: MasterSocket;
  readonly runtime: Pick<RuntimeCertificates, 'put'>;
  readonly pathOf: (id: string) => string;
}

export interface Lacking {
  readonly worker: KnownWorker;
  readonly fault: NotHeld;
  readonly reason: string;
  readonly ids: readonly string[];
  /** Since when the first of them is lacking, of `performance.now()`. */
  readonly since: number;
}

export interface PutResult {
  /** Current workers first. */
  readonly workers: readonly WorkerCertificate[];
  /** Every current worker was read back, and there is one. */
  readonly everyCurrent: boolean;
  /** Why a current worker lacks it that would get it by a reload; null: there is none. */
  readonly reload: string | null;
}

export class TlsWorkers {
  readonly #deps: TlsWorkersDeps;
  /** By pid and start time. */
  #known = new Map<string, Verdicts>();

  constructor(deps: TlsWorkersDeps) {
    this.#deps = deps;
  }

  all(): readonly KnownWorker[] {
    return [...this.#known.values()].map(({ worker }) => worker);
  }

  /** What each known worker was last read back to hold of this version. Empty: none was read back. */
  of({ id, version }: CertificateKey): readonly WorkerCertificate[] {
    return [...this.#known.values()].flatMap(({ worker, holdings }) => {
      const holding = holdings.get(id);
      return holding === undefined ? [] : [shown(worker, holding, version)];
    });
  }

  /** What workers were found to lack, by worker and reason. */
  lacking(): readonly Lacking[] {
    return [...this.#known.values()].flatMap(({ worker, holdings, since }) => {
      const byReason = new Map<string, Lacking & { ids: string[] }>();
      for (const [id, holding] of holdings) {
        if (holding.holds) continue;
        const { fault, reason } = holding;
        const group = byReason.get(reason) ?? { worker, fault, reason, ids: [], since: Number.POSITIVE_INFINITY };
        group.ids.push(id);
        byReason.set(reason, { ...group, since: Math.min(group.since, since.get(id) ?? performance.now()) });
      }
      return [...byReason.values()];
    });
  }

  holding(worker: KnownWorker, id: string): Held | undefined {
    return this.#known.get(identity(worker))?.holdings.get(id);
  }

  /** Of a worker that has exited meanwhile: nothing. Without a time, the one of before stays. */
  record(worker: KnownWorker, { id, version }: CertificateKey, holding: Holding): void {
    const known = this.#known.get(identity(worker));
    if (known === undefined || (!holding.holds && holding.fault === 'gone')) return;
    const { holdings, since } = known;
    if (holding.holds) since.delete(id);
    else if (!since.has(id)) since.set(id, performance.now());
    holdings.set(id, { ...holding, version, notAfter: holding.notAfter ?? holdings.get(id)?.notAfter ?? null });
  }

  forget(id: string): void {
    for (const { holdings, since } of this.#known.values()) {
      holdings.delete(id);
      since.delete(id);
    }
  }

  /** Every current worker was read back to hold this version, and there is one. */
  isHeldByCurrent({ id, version }: CertificateKey): boolean {
    const current = [...this.#known.values()].filter(({ worker }) => worker.role === 'current');
    const held = current.map(({ holdings }) => holdings.get(id));
    return held.length > 0 && held.every((one) => one?.holds === true && one.version === version);
  }

  /** The workers that take commands now; `starting`: others will soon. @throws MasterSocketError at the deadline */
  async look(deadline: Deadline): Promise<{ readonly workers: readonly KnownWorker[]; readonly starting: boolean }> {
    const { current, draining, starting } = await this.#processes(deadline);
    const known = new Map<string, Verdicts>();
    const take = ({ pid, startTime }: Worker, role: KnownWorker['role']): void => {
      const worker = { pid, startTime, role };
      const before = this.#known.get(identity(worker));
      if (before !== undefined) before.worker = worker;
      known.set(identity(worker), before ?? { worker, holdings: new Map(), since: new Map() });
    };
    for (const worker of current) take(worker, 'current');
    for (const worker of draining) take(worker, 'draining');
    this.#known = known;
    return { workers: this.all(), starting: starting.length > 0 };
  }

  /** @throws MasterSocketError when no worker could be listed */
  async put(certificate: CertificateToInstall, deadline: Deadline): Promise<PutResult> {
    const wanted = this.forWorker(certificate);
    await this.visit(deadline, async (worker) => {
      this.record(worker, certificate, await this.#deps.runtime.put(worker.pid, wanted, deadline));
      crashPoint('tls.worker-updated');
    });
    return this.#result(certificate);
  }

  /**
   * Calls `work` once for each worker, also for one that starts meanwhile, which may have read the files of before:
   * current workers first, then draining ones together. @throws MasterSocketError when no worker could be listed
   */
  async visit(deadline: Deadline, work: (worker: KnownWorker) => Promise<void>): Promise<void> {
    const done = new Set<string>();
    for (;;) {
      const { workers, starting } = await this.look(deadline);
      const due = workers.filter((worker) => !done.has(identity(worker)));
      for (const worker of due) done.add(identity(worker));
      for (const worker of due) if (worker.role === 'current') await work(worker);
      await Promise.all(due.filter(({ role }) => role === 'draining').map(work));
      const isLate = performance.now() + POLL_MS >= deadline;
      if (due.length > 0 && !isLate) continue;
      if (!starting || isLate) return;
      await pause(POLL_MS);
    }
  }

  forWorker({ id, pem, sha1, chainSubjects }: CertificateToInstall): CertificateForWorker {
    return { file: this.#deps.pathOf(id), pem, sha1, chainSubjects };
  }

  #result({ id, version }: CertificateKey): PutResult {
    const entries = [...this.#known.values()].filter(({ worker }) => worker.role === 'current');
    const holdings = entries.map(({ holdings }) => holdings.get(id));
    return {
      workers: this.of({ id, version }),
      everyCurrent: this.isHeldByCurrent({ id, version }),
      reload: holdings.map(reloadReason).find((reason) => reason !== null) ?? null,
    };
  }

  /** Waits through a reload, during which the master's socket refuses. */
  async #processes(deadline: Deadline): Promise<Processes> {
    for (;;) {
      try {
        return await showProcesses(this.#deps.socket, deadline);
      } catch (error) {
        const passes = error instanceof MasterSocketError && mayBeReload(error.reason);
        if (!passes || performance.now() + POLL_MS >= deadline) throw error;
      }
      await pause(POLL_MS);
    }
  }
}

/** Why a reload may help; null: it would not, or need not. */
export function reloadReason(holding: Holding | undefined): string | null {
  if (holding === undefined || holding.holds) return null;
  return mayPass(holding.fault) || holding.fault === 'too-long' ? holding.reason : null;
}

function shown({ pid, role }: KnownWorker, held: Held, version: number): WorkerCertificate {
  const { holds, notAfter } = held;
  if (held.version !== version) return { pid, role, holds: false, reason: otherVersion, notAfter };
  return { pid, role, holds, reason: held.holds ? null : held.reason, notAfter };
}

function identity({ pid, startTime }: Pick<KnownWorker, 'pid' | 'startTime'>): string {
  return `${pid}:${startTime ?? '?'}`;
}

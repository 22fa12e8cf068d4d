// Brings certificates into files and workers, one at a time: the file, the list, the current workers, the draining
// ones, then one handshake. A removal is durable first, too: the list, then the workers; the file goes last.
import { Mutex } from '../concurrency/mutex.ts';
import { crashPoint } from '../faults/crash-point.ts';
import {
  CertificateRejection,
  type Holding,
  type RuntimeCertificates,
} from '../haproxy/certificates/runtime-certificates.ts';
import { MasterSocketError } from '../haproxy/socket/master-socket.ts';
import { causeText } from '../telemetry/cause-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { FileKeeper, WantedCertificate } from './file-keeper.ts';
import type { HandshakeResult } from './handshake.ts';
import type { CertificateInstaller, CertificateToInstall, Installation, WorkerCertificate } from './installation.ts';
import { whyNotServed } from './served.ts';
import { type CertificateKey, type KnownWorker, type PutResult, reloadReason, type TlsWorkers } from './workers.ts';

/** For all workers together: an answer takes at most 5 s. */
const PATIENCE_MS = 4_000;
const HANDSHAKES_AT_ONCE = 20;
/** Comparisons wait meanwhile, and one with addresses that do not answer takes 3 s. */
const HANDSHAKES_WITHIN_MS = 2_000;
const NOT_TRIED: HandshakeResult = {
  handshake: 'not possible',
  handshakeReason: 'not tried since the service started',
};

interface InstallerDeps {
  readonly keeper: FileKeeper;
  readonly workers: TlsWorkers;
  readonly runtime: Pick<RuntimeCertificates, 'put' | 'remove'>;
  readonly handshake: (certificate: WantedCertificate) => Promise<HandshakeResult>;
  /** False: no reload is possible, or none would help. */
  readonly scheduleReload: (reason: string) => boolean;
  /** Something could not be done: files and workers are to be compared soon. */
  readonly recheck: () => void;
  readonly onInstalled?: (milliseconds: number) => void;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

export class Installer implements CertificateInstaller {
  readonly #deps: InstallerDeps;
  readonly #mutex = new Mutex();
  readonly #last = new Map<string, HandshakeResult & { readonly version: number; readonly reloadScheduled: boolean }>();
  /** By id, the version for which a reload was scheduled: once, as a reload that did not help does not help again. */
  readonly #reloadedFor = new Map<string, number>();

  constructor(deps: InstallerDeps) {
    this.#deps = deps;
  }

  async install(certificate: CertificateToInstall): Promise<Installation> {
    return await this.exclusive(async () => {
      const began = performance.now();
      const { keeper, log, onInstalled } = this.#deps;
      const { id, version } = certificate;
      await keeper.put(certificate);
      const result = await this.#put(certificate);
      const handshake = await this.#handshake(certificate, result);
      this.#last.set(id, { ...handshake, version, reloadScheduled: result.reloadScheduled });
      crashPoint('tls.installed');
      const installation = this.#installation(certificate, result.workers, result.everyCurrent);
      if (installation.runtimeUpdated && installation.files === 'durable') {
        log.info('Certificate installed', { certificate: id, ...installation });
        onInstalled?.(performance.now() - began);
      } else {
        log.warn('Certificate not installed everywhere', { certificate: id, ...installation });
      }
      return installation;
    });
  }

  async remove(id: string): Promise<Installation> {
    return await this.exclusive(async () => {
      const { keeper, workers, log } = this.#deps;
      await keeper.unlist(id);
      const left = await this.#removeFromWorkers(id);
      workers.forget(id);
      this.#last.delete(id);
      this.#reloadedFor.delete(id);
      const everyCurrent = left.length > 0 && left.every(({ role, holds }) => role !== 'current' || !holds);
      if (everyCurrent) {
        log.info('Certificate removed', { certificate: id, workers: left });
      } else {
        log.warn('Certificate not removed everywhere', { certificate: id, workers: left });
        this.#deps.recheck();
      }
      return {
        files: 'durable',
        workers: left,
        runtimeUpdated: everyCurrent,
        handshake: 'not possible',
        handshakeReason: 'it is removed',
        reloadScheduled: false,
      };
    });
  }

  async deleteFile(id: string): Promise<boolean> {
    return await this.#deps.keeper.deleteFile(id);
  }

  keptFiles(id: string): readonly string[] {
    return this.#deps.keeper.keptFiles(id);
  }

  async relist(id: string, why: string): Promise<void> {
    const isBack = await this.exclusive(async () => await this.#deps.keeper.relist(id, why));
    if (isBack) this.#deps.scheduleReload(`certificate ${id}: its removal failed`);
  }

  held(id: string, version: number): Installation | null {
    const { keeper, workers } = this.#deps;
    const known = workers.of({ id, version });
    if (!keeper.isWanted(id) || known.length === 0) return null;
    return this.#installation({ id, version }, known, workers.isHeldByCurrent({ id, version }));
  }

  whyNotServed(id: string): string | null {
    const { keeper } = this.#deps;
    const lost = keeper.whyLost(id);
    if (lost !== null) return lost;
    const unreadable = keeper.unreadable.get(id);
    if (unreadable !== undefined)
      return `it is served from its file alone and cannot be compared with the workers: ${unreadable}`;
    const version = keeper.get(id)?.version;
    return whyNotServed(version === undefined ? null : this.held(id, version));
  }

  /** Handshakes that showed something else, now that every current worker holds the certificate: some at a time. */
  async retryHandshakes(): Promise<void> {
    const end = performance.now() + HANDSHAKES_WITHIN_MS;
    const due = [...this.#last].filter(([, { handshake }]) => handshake !== 'seen').slice(0, HANDSHAKES_AT_ONCE);
    for (const [id] of due) {
      if (performance.now() >= end) return;
      await this.exclusive(async () => await this.#retryHandshake(id));
    }
  }

  async #retryHandshake(id: string): Promise<void> {
    const { keeper, workers, handshake, log } = this.#deps;
    const last = this.#last.get(id);
    const wanted = keeper.get(id);
    if (last === undefined || wanted?.version !== last.version || !workers.isHeldByCurrent(wanted)) return;
    const result = await handshake(wanted);
    // The next time others come first.
    this.#last.delete(id);
    this.#last.set(id, { ...last, ...result });
    if (result.handshake === 'seen') log.info('Certificate seen in a handshake', { certificate: id });
  }

  /** Runs between installations. */
  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    return await this.#mutex.run(work);
  }

  /** Into one worker, which was found to lack it. Call it inside `exclusive`. */
  async putInto(worker: KnownWorker, certificate: CertificateToInstall): Promise<Holding> {
    const { workers, runtime } = this.#deps;
    const deadline = performance.now() + PATIENCE_MS;
    const holding = await runtime.put(worker.pid, workers.forWorker(certificate), deadline);
    workers.record(worker, certificate, holding);
    if (worker.role === 'current') this.#scheduleReload(certificate, reloadReason(holding));
    return holding;
  }

  async #put(certificate: CertificateToInstall): Promise<PutResult & { readonly reloadScheduled: boolean }> {
    const { workers, recheck } = this.#deps;
    let result: PutResult;
    try {
      result = await workers.put(certificate, performance.now() + PATIENCE_MS);
    } catch (error) {
      if (!(error instanceof MasterSocketError)) throw error;
      result = { workers: this.#unreached(certificate, error.message), everyCurrent: false, reload: null };
    }
    if (!result.everyCurrent) recheck();
    return { ...result, reloadScheduled: this.#scheduleReload(certificate, result.reload) };
  }

  #scheduleReload({ id, version }: CertificateKey, why: string | null): boolean {
    if (why === null || !this.#deps.keeper.isDurable({ id, version })) return false;
    if (this.#reloadedFor.get(id) === version || !this.#deps.scheduleReload(`certificate ${id}: ${why}`)) return false;
    this.#reloadedFor.set(id, version);
    return true;
  }

  /** Whether a current worker still lacks a certificate for which a reload was scheduled. */
  get reloadNeeded(): boolean {
    const { workers } = this.#deps;
    const current = workers.all().filter(({ role }) => role === 'current');
    return [...this.#reloadedFor.keys()].some((id) =>
      current.some((worker) => workers.holding(worker, id)?.holds !== true),
    );
  }

  /** Every current worker was compared and holds every certificate. */
  allHeld(): void {
    this.#reloadedFor.clear();
  }

  /** Some may have got it before the socket failed. */
  #unreached(key: CertificateKey, reason: string): WorkerCertificate[] {
    const { workers } = this.#deps;
    for (const worker of workers.all())
      workers.record(worker, key, { holds: false, fault: 'unreachable', reason, notAfter: null });
    return [...workers.of(key)];
  }

  async #handshake(certificate: CertificateToInstall, { everyCurrent }: PutResult): Promise<HandshakeResult> {
    if (everyCurrent) return await this.#deps.handshake(certificate);
    return { handshake: 'not possible', handshakeReason: 'not every current worker holds the certificate' };
  }

  #installation(
    { id, version }: CertificateKey,
    workers: readonly WorkerCertificate[],
    everyCurrent: boolean,
  ): Installation {
    const last = this.#last.get(id);
    const { handshake, handshakeReason, reloadScheduled } =
      last?.version === version ? last : { ...NOT_TRIED, reloadScheduled: false };
    return {
      files: this.#deps.keeper.isDurable({ id, version }) ? 'durable' : 'pending',
      workers,
      runtimeUpdated: everyCurrent,
      handshake,
      handshakeReason,
      reloadScheduled: reloadScheduled && !everyCurrent,
    };
  }

  /** From current workers: draining ones accept no connections. What is left there is found by the comparison. */
  async #removeFromWorkers(id: string): Promise<WorkerCertificate[]> {
    const { workers, runtime, keeper } = this.#deps;
    const deadline = performance.now() + PATIENCE_MS;
    const left: WorkerCertificate[] = [];
    try {
      await workers.visit(deadline, async (worker) => {
        const { pid, role } = worker;
        if (role !== 'current') return;
        const notAfter = workers.holding(worker, id)?.notAfter ?? null;
        try {
          await runtime.remove(pid, keeper.pathOf(id), deadline);
          left.push({ pid, role, holds: false, reason: null, notAfter: null });
          crashPoint('tls.worker-removed');
        } catch (error) {
          if (!(error instanceof MasterSocketError || error instanceof CertificateRejection)) throw error;
          left.push({ pid, role, holds: true, reason: causeText(error), notAfter });
        }
      });
      return left;
    } catch (error) {
      if (!(error instanceof MasterSocketError)) throw error;
      const { message: reason } = error;
      const unreached = workers.all().filter(({ pid }) => !left.some((one) => one.pid === pid));
      const notAfter = (worker: KnownWorker) => workers.holding(worker, id)?.notAfter ?? null;
      return [
        ...left,
        ...unreached.map((one) => ({ pid: one.pid, role: one.role, holds: true, reason, notAfter: notAfter(one) })),
      ];
    }
  }
}

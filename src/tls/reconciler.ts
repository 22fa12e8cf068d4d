// Compares files and workers with the database, and repairs them: every worker when it appears, all every 30 s.
import { dirname } from 'node:path';
import { type KickablePause, pause } from '../concurrency/pause.ts';
import {
  CertificateRejection,
  difference,
  endOf,
  mayPass,
  type RuntimeCertificates,
} from '../haproxy/certificates/runtime-certificates.ts';
import type { HeldCertificate } from '../haproxy/certificates/ssl-replies.ts';
import { MasterSocketError } from '../haproxy/socket/master-socket.ts';
import { isWorkerGone } from '../haproxy/socket/replies.ts';
import { causeText } from '../telemetry/cause-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { FileKeeper, WantedCertificate } from './file-keeper.ts';
import { FolderWatch } from './folder-watch.ts';
import type { WantedCertificates } from './installation.ts';
import type { Installer } from './installer.ts';
import type { KnownWorker, TlsWorkers } from './workers.ts';

const COMPARE_EVERY_MS = 30_000;
/** While something is out of sync. */
const RETRY_MS = 2_000;
const PATIENCE_MS = 4_000;
/** Fingerprints in one turn, which take some 30 ms: installations, and other commands, come in between. */
const READ_AT_ONCE = 200;
const SETTLE_MS = 200;
/** A reload passes within this time. */
const PASSES_WITHIN_MS = 10_000;
/** The check of thousands of files takes seconds of processor time, so that many times as long passes until the next one. */
const REST_FOR_FILES = 20;
const SHOWN_IDS = 5;
const OUR_FILE = /\/c-[a-z2-7]{10}\.pem$/;

/** A worker had another certificate, or none, and has the right one again. */
export interface Repair {
  readonly id: string;
  readonly worker: number;
  /** SHA-1 fingerprint: 40 hex digits, upper case; null: none. */
  readonly was: string | null;
  readonly now: string;
}

/** What a worker holds in place of a certificate. */
interface Found {
  readonly certificate: WantedCertificate;
  readonly held: HeldCertificate | 'absent';
}

/** Why something could not be compared. */
interface Problem {
  readonly cause: string;
  /** Of `performance.now()`. */
  readonly since: number;
}

interface ReconcilerDeps {
  readonly timer: KickablePause;
  readonly folder: string;
  readonly keeper: FileKeeper;
  readonly workers: TlsWorkers;
  readonly runtime: RuntimeCertificates;
  readonly installer: Installer;
  readonly wanted: WantedCertificates;
  readonly onRepaired: (repair: Repair) => void;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

export class TlsReconciler {
  readonly #deps: ReconcilerDeps;
  readonly #stop = new AbortController();
  #loop: Promise<void> | null = null;
  readonly #watch: FolderWatch;
  /** Names of files that changed since the last check of them. */
  readonly #changed = new Set<string>();
  #checkingChanges: Promise<void> = Promise.resolve();
  #comparedAt = Number.NEGATIVE_INFINITY;
  #problem: Problem | null = null;
  /** While HAProxy is down, of `performance.now()`. */
  #checkFilesFrom = Number.NEGATIVE_INFINITY;
  /** By pid. */
  readonly #notCompared = new Map<number, Problem>();

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
    const { folder, log } = deps;
    this.#watch = new FolderWatch({ folder, log, onChange: (name) => this.#noteChange(name) });
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  kick(): void {
    this.#deps.timer.kick();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#deps.timer.wake();
    await this.#loop;
    this.#watch.close();
    await this.#checkingChanges;
  }

  /** For `/health`, each as a sentence: what current workers lack, or could not be compared, for longer than a reload takes. */
  problems(): readonly string[] {
    const { workers } = this.#deps;
    const lasts = (problem: Problem | undefined | null): problem is Problem =>
      problem != null && performance.now() - problem.since > PASSES_WITHIN_MS;
    // Draining ones accept no connections.
    const ofWorkers = workers.all().flatMap(({ pid, role }) => {
      const problem = role === 'current' ? this.#notCompared.get(pid) : null;
      return lasts(problem) ? [`the certificates of worker ${pid} were not compared: ${problem.cause}`] : [];
    });
    const lacking = workers.lacking().filter(({ worker, since }) => {
      return worker.role === 'current' && performance.now() - since > PASSES_WITHIN_MS;
    });
    return [
      ...(lasts(this.#problem) ? [`certificates were not compared: ${this.#problem.cause}`] : []),
      ...ofWorkers,
      ...lacking.map(({ worker, reason, ids }) => `worker ${worker.pid} does not hold ${shownIds(ids)}: ${reason}`),
    ];
  }

  /** @param all every worker; otherwise those that were not compared yet, or lack something */
  async check(all: boolean): Promise<void> {
    const { keeper, workers, installer, log } = this.#deps;
    await keeper.refresh();
    // Workers would lose certificates that are only not known yet.
    if (!keeper.isLoaded) return;
    // Otherwise there is nothing to bring back, and an installation is not waited for.
    if (all || keeper.isBehind)
      for (const id of await installer.exclusive(() => keeper.restore(all)))
        log.info('HAProxy accepts a certificate again', { certificate: id });
    try {
      const { workers: listed } = await workers.look(performance.now() + PATIENCE_MS);
      for (const pid of this.#notCompared.keys())
        if (!listed.some((one) => one.pid === pid)) this.#notCompared.delete(pid);
      for (const worker of listed) if (all || this.#isDue(worker)) await this.#checkWorker(worker);
      this.#problem = null;
      this.#checkFilesFrom = Number.NEGATIVE_INFINITY;
      if (workers.lacking().length === 0 && this.#notCompared.size === 0) installer.allHeld();
      await installer.retryHandshakes();
    } catch (error) {
      this.#note(error, (cause) => {
        if (this.#problem === null) log.warn('Certificates not compared', { cause });
        this.#problem = since(this.#problem, cause);
      });
      if (error instanceof MasterSocketError && isDown(error)) await this.#checkFiles();
    }
  }

  /** Another process may start HAProxy, with an OpenSSL that refuses a certificate: the next start succeeds. */
  async #checkFiles(): Promise<void> {
    const began = performance.now();
    if (began < this.#checkFilesFrom) return;
    await this.#deps.keeper.substitute(null);
    const tookMs = performance.now() - began;
    this.#checkFilesFrom = began + Math.max(COMPARE_EVERY_MS, tookMs * REST_FOR_FILES);
  }

  async #run(): Promise<void> {
    const { timer, log } = this.#deps;
    while (!this.#stop.signal.aborted) {
      timer.begin();
      const all = performance.now() - this.#comparedAt >= COMPARE_EVERY_MS;
      try {
        // Changed files are rewritten at once; without a watch, at the next comparison.
        await this.#watch.renew();
        await this.check(all);
        // The check makes a missing folder again, which may be removed again before this.
        if (await this.#watch.renew()) this.kick();
        if (all) this.#comparedAt = performance.now();
      } catch (error) {
        const cause = causeText(error);
        if (this.#problem?.cause !== cause) log.error('Comparison of certificates failed', { cause });
        this.#problem = since(this.#problem, cause);
      }
      // An installation writes several files.
      await timer.wait(SETTLE_MS, { signal: this.#stop.signal });
      if (timer.kicked) continue;
      const restMs = COMPARE_EVERY_MS - (performance.now() - this.#comparedAt);
      await timer.wait(this.#isPending() ? RETRY_MS : Math.max(restMs, 0), { signal: this.#stop.signal });
    }
  }

  /** Soon may bring what is missing. */
  #isPending(): boolean {
    const { workers, keeper } = this.#deps;
    if (this.#problem !== null || this.#notCompared.size > 0 || keeper.isBehind) return true;
    return workers.lacking().some(({ fault }) => mayPass(fault));
  }

  #isDue(worker: KnownWorker): boolean {
    const { keeper, workers } = this.#deps;
    if (this.#notCompared.has(worker.pid)) return true;
    return keeper.wanted.some(({ id, version }) => {
      const holding = workers.holding(worker, id);
      return holding?.version !== version || (!holding.holds && mayPass(holding.fault));
    });
  }

  async #checkWorker(worker: KnownWorker): Promise<void> {
    const { keeper, log } = this.#deps;
    try {
      await this.#deps.installer.exclusive(async () => await this.#removeForeign(worker));
      const wanted = keeper.wanted;
      for (let from = 0; from < wanted.length; from += READ_AT_ONCE) {
        if (this.#stop.signal.aborted) return;
        const ids = new Set(wanted.slice(from, from + READ_AT_ONCE).map(({ id }) => id));
        await this.#deps.installer.exclusive(async () => await this.#compare(worker, ids));
      }
      this.#notCompared.delete(worker.pid);
    } catch (error) {
      if (error instanceof MasterSocketError && isWorkerGone(error.partial)) return;
      this.#note(error, (cause) => {
        const before = this.#notCompared.get(worker.pid);
        if (before?.cause !== cause) {
          log.warn('Certificates of a worker not compared', { worker: worker.pid, role: worker.role, cause });
        }
        this.#notCompared.set(worker.pid, since(before, cause));
      });
    }
  }

  /** What is in our folder and not in the database goes, from current workers. */
  async #removeForeign(worker: KnownWorker): Promise<void> {
    if (worker.role !== 'current') return;
    const { folder, keeper, runtime, log } = this.#deps;
    const { files, entries } = await runtime.contents(worker.pid, performance.now() + PATIENCE_MS);
    const isOurs = (file: string): boolean => dirname(file) === folder && OUR_FILE.test(file);
    const listed = (entries ?? []).map(({ file }) => file);
    for (const file of new Set([...files, ...listed].filter(isOurs))) {
      if (keeper.isWanted(file.slice(folder.length + 1, -'.pem'.length))) continue;
      await runtime.remove(worker.pid, file, performance.now() + PATIENCE_MS);
      log.warn('Certificate that is not in the database removed from a worker', { worker: worker.pid, file });
    }
  }

  async #compare(worker: KnownWorker, ids: ReadonlySet<string>): Promise<void> {
    const { keeper, workers, runtime } = this.#deps;
    // Meanwhile some may have been removed or replaced.
    const wanted = keeper.wanted.filter(({ id }) => ids.has(id));
    const { entries } = await runtime.contents(worker.pid, performance.now() + PATIENCE_MS);
    if (entries === null) {
      const reason = 'its configuration does not use the list of certificates';
      for (const certificate of wanted)
        workers.record(worker, certificate, { holds: false, fault: 'list-unused', reason, notAfter: null });
      return;
    }
    const listed = new Set(entries.map(({ file }) => file));
    const files = wanted.map(({ id }) => keeper.pathOf(id));
    const held = await runtime.read(worker.pid, files, performance.now() + PATIENCE_MS);
    const wrong = new Map<string, Found>();
    for (const certificate of wanted) {
      const file = keeper.pathOf(certificate.id);
      const found = held.get(file) ?? 'absent';
      if (listed.has(file) && difference(found, certificate) === null) {
        workers.record(worker, certificate, { holds: true, notAfter: endOf(found) });
      } else {
        wrong.set(certificate.id, { certificate, held: found });
      }
    }
    if (wrong.size > 0) await this.#repair(worker, wrong);
  }

  async #repair(worker: KnownWorker, wrong: ReadonlyMap<string, Found>): Promise<void> {
    const { workers, installer, onRepaired, log } = this.#deps;
    const left = new Map(wrong);
    for (const certificate of await this.#deps.wanted.all(new Set(wrong.keys()))) {
      const { id, sha1 } = certificate;
      const found = wrong.get(id)?.held;
      if (found === undefined || this.#stop.signal.aborted) continue;
      const before = workers.holding(worker, id);
      const holding = await installer.putInto(worker, certificate);
      // Installations wait for this turn: a worker that hangs must not cost them the patience for each certificate.
      if (!holding.holds && holding.fault === 'unreachable') return this.#giveUp(worker, left, holding.reason);
      left.delete(id);
      if (holding.holds && before?.holds === false) {
        log.info('Certificate installed in a worker', { certificate: id, worker: worker.pid });
      } else if (holding.holds) {
        const was = found === 'absent' ? null : found.sha1;
        log.warn('Certificate of a worker repaired', { certificate: id, worker: worker.pid, was, now: sha1 });
        onRepaired({ id, worker: worker.pid, was, now: sha1 });
      } else if (before?.holds !== false || before.reason !== holding.reason) {
        log.warn('Certificate of a worker not repaired', {
          certificate: id,
          worker: worker.pid,
          cause: holding.reason,
        });
      }
    }
  }

  /** What was not tried is not known to be held. */
  #giveUp(worker: KnownWorker, left: ReadonlyMap<string, Found>, reason: string): void {
    const { workers, log } = this.#deps;
    log.warn('Certificates of a worker not repaired', { worker: worker.pid, certificates: left.size, cause: reason });
    for (const { certificate, held } of left.values()) {
      workers.record(worker, certificate, { holds: false, fault: 'unreachable', reason, notAfter: endOf(held) });
    }
  }

  /** A failure of HAProxy is noted; any other is a defect. */
  #note(error: unknown, note: (cause: string) => void): void {
    if (!(error instanceof MasterSocketError || error instanceof CertificateRejection)) throw error;
    note(causeText(error));
  }

  /** Most changes are our own. Those of other processes differ from what was written last. */
  #noteChange(name: string | null): void {
    if (name === null) {
      this.kick();
      return;
    }
    const isFirst = this.#changed.size === 0;
    this.#changed.add(name);
    if (isFirst) this.#checkingChanges = this.#checkChanges();
  }

  async #checkChanges(): Promise<void> {
    // An installation writes several files, and knows each when it is durable.
    await pause(SETTLE_MS, { signal: this.#stop.signal, ref: false });
    const names = [...this.#changed];
    this.#changed.clear();
    try {
      for (const name of names) {
        if (await this.#deps.keeper.isAsWritten(name)) continue;
        this.kick();
        return;
      }
    } catch (error) {
      this.#deps.log.warn('Changed file of certificates not checked', { cause: causeText(error) });
      this.kick();
    }
  }
}

/** A HAProxy that is slow to answer has its certificates. */
function isDown({ reason }: MasterSocketError): boolean {
  return reason === 'missing' || reason === 'refused';
}

function shownIds(ids: readonly string[]): string {
  const more = ids.length > SHOWN_IDS ? ` and ${ids.length - SHOWN_IDS} more` : '';
  return `certificate${ids.length === 1 ? '' : 's'} ${ids.slice(0, SHOWN_IDS).join(', ')}${more}`;
}

function since(before: Problem | null | undefined, cause: string): Problem {
  return { cause, since: before?.since ?? performance.now() };
}

// The configuration of an attached service, which others write: which files HAProxy reads, and what each front end does
// with the maps. HAProxy does not report which rules a worker runs, so the files are read; they count as loaded if all
// of them are older than the moment at which HAProxy began to read them for the worker.
import { lstat, stat } from 'node:fs/promises';
import type { AttachedReport, FrontEndReport } from '../../api/health.ts';
import { type ChallengesInConfiguration, unknownChallenges } from '../../blocking/challenge-set.ts';
import type { WorkerRegistry } from '../../blocking/compare/worker-registry.ts';
import { type TrustInConfiguration, unknownTrust } from '../../blocking/trusted-set.ts';
import { type UpstreamsInConfiguration, unknownUpstreams } from '../../blocking/upstream-set.ts';
import { isMissing } from '../../files/atomic-file.ts';
import { configurationFilesOf, UnreadableConfiguration } from '../../haproxy/process/configuration-files.ts';
import { findMaster } from '../../haproxy/process/master-process.ts';
import { type ProxyArguments, parseProxyArguments } from '../../haproxy/process/proxy-arguments.ts';
import { describeReloadBy, type Settings } from '../../settings.ts';
import { ageMs, childrenOf, commandLine } from '../../system/processes.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { challengesIn } from '../rules/challenge-use.ts';
import { type FrontEnd, frontEndsOf, mapsNamedIn, missingRuleText } from '../rules/front-ends.ts';
import type { ConfigurationFile } from '../rules/proxy-sections.ts';
import { inForceOf } from '../rules/upstream-use.ts';
import { challengeLine } from '../template/challenge-rule.ts';

/** A file's time may be this much too early: it is that of the kernel's last clock tick. */
const tickMs = 10;
/** A worker's start time and its age are each accurate to 10 ms. */
const ageSlackMs = 20;

interface Reading {
  readonly files: readonly ConfigurationFile[];
  readonly frontEnds: readonly FrontEnd[];
  readonly maps: readonly string[];
  readonly challenges: ChallengesInConfiguration;
}

interface Loaded {
  readonly worker: string;
  readonly reading: Reading;
}

/** Of the files and what the current worker loaded. `unknown`: they could not be read, or the worker does not answer. */
type Change = 'none' | 'changed' | 'unknown';

/** The arguments of the master, and its pid. */
export type RunningArguments = ProxyArguments & { readonly pid: number | null };

interface AttachedConfigurationDeps {
  readonly settings: Settings;
  readonly registry: Pick<WorkerRegistry, 'current' | 'isInSync' | 'masterPid'>;
  /** In ms of the wall clock; null if the worker does not answer. */
  readonly readSince: (worker: number) => Promise<number | null>;
  readonly log: Log;
}

export class AttachedConfiguration {
  readonly #deps: AttachedConfigurationDeps;
  #onDisk: Reading | null = null;
  #loaded: Loaded | null = null;
  #change: Change = 'unknown';
  /** The current worker, if it did not say what it has loaded. */
  #silentWorker: number | null = null;
  #unreadable: string | null = null;
  #isMissing = false;

  constructor(deps: AttachedConfigurationDeps) {
    this.#deps = deps;
  }

  /** As of the last check, of what the current worker is known to have loaded. */
  get trust(): TrustInConfiguration {
    if (this.#loaded === null) return unknownTrust;
    const { frontEnds, maps } = this.#loaded.reading;
    if (!maps.includes(this.#deps.settings.trustedMap)) return { mapLoaded: false, hasEffect: false };
    const spares = frontEnds.filter(({ hasRule }) => hasRule).map(({ sparesTrusted }) => sparesTrusted);
    return { mapLoaded: true, hasEffect: spares.length === 0 ? null : spares.every((one) => one === true) };
  }

  /** As of the last check, of what the current worker is known to have loaded. */
  get upstreams(): UpstreamsInConfiguration {
    if (this.#loaded === null) return unknownUpstreams;
    const { upstreamsMap, openFrontEnds } = this.#deps.settings;
    const { frontEnds, maps } = this.#loaded.reading;
    const closed = frontEnds.filter(({ name }) => !openFrontEnds.includes(name));
    return { mapLoaded: maps.includes(upstreamsMap), ...inForceOf(closed.map(({ upstreamUse }) => upstreamUse)) };
  }

  /** As of the last check, of what the current worker is known to have loaded. */
  get challenges(): ChallengesInConfiguration {
    return this.#loaded?.reading.challenges ?? unknownChallenges;
  }

  /**
   * Why the service must not reload on its own, as of the last check. Null: nothing prevents it; files that this user
   * may not read are checked by HAProxy itself at the reload.
   */
  get reloadObstacle(): string | null {
    // A program that is replacing the file may do so between HAProxy's check and its reload.
    if (this.#isMissing) return 'a configuration file is missing';
    if (this.#onDisk === null) return null;
    if (!this.#onDisk.maps.includes(this.#deps.settings.blockedMap))
      return 'the configuration has no rule for the blocked map';
    // Only its author knows when an edit is ready to be loaded.
    if (this.#silentWorker !== null) return unknownText(this.#silentWorker);
    return this.#change === 'changed' ? 'the configuration was changed after HAProxy loaded it' : null;
  }

  report(): AttachedReport {
    const reading = this.#loaded?.reading ?? this.#onDisk;
    return {
      files: (this.#onDisk ?? reading)?.files.map(({ path }) => path) ?? [this.#deps.settings.configFile],
      front_ends: reading?.frontEnds.map((frontEnd) => this.#reported(frontEnd)) ?? [],
      changed_since_load: this.#change === 'unknown' ? null : this.#change === 'changed',
      reload_by: describeReloadBy(this.#deps.settings.reloadBy),
    };
  }

  /** Each as a sentence. */
  problems(): string[] {
    if (this.#unreadable !== null) return [this.#unreadable];
    return [...this.#heldBack(), ...this.#frontEndProblems()];
  }

  /** A worker is out of sync, and the reload is left to the operator who changed the configuration. */
  #heldBack(): string[] {
    const worker = this.#deps.registry.current();
    if (this.#change === 'none' || worker === null || this.#deps.registry.isInSync(worker)) return [];
    if (this.#onDisk?.maps.includes(this.#deps.settings.blockedMap) !== true) return [];
    if (this.#silentWorker !== null)
      return [
        `configuration: ${unknownText(this.#silentWorker)}, so the service does not reload HAProxy, although a worker is out of sync; reload it if your files are ready (proxy-manager reload)`,
      ];
    return [
      'configuration: it was changed after HAProxy loaded it, so the service does not reload HAProxy, although a worker is out of sync; reload it when your change is ready (proxy-manager reload)',
    ];
  }

  #frontEndProblems(): string[] {
    if (this.#loaded === null) {
      if (this.#silentWorker !== null)
        return [`configuration: ${unknownText(this.#silentWorker)}, so its front ends cannot be checked`];
      if (this.#change !== 'changed') return [];
      return [
        'configuration: it was changed after HAProxy loaded it, so its front ends cannot be checked before the next reload',
      ];
    }
    const { frontEnds } = this.#loaded.reading;
    if (frontEnds.length === 0) return ['configuration: it has no front end that binds an address'];
    return frontEnds
      .map((frontEnd) => this.#reported(frontEnd))
      .filter(({ has_rule, open }) => !has_rule && !open)
      .map(missingRuleProblem);
  }

  /** From the arguments of the master, or from the setting if none runs. */
  async arguments(): Promise<RunningArguments> {
    const { pidFile, configFile } = this.#deps.settings;
    const pid = this.#deps.registry.masterPid ?? (await findMaster(pidFile, configFile))?.pid ?? null;
    const words = pid === null ? null : await commandLine(pid);
    const parsed = parseProxyArguments(words ?? []);
    return parsed.files.length > 0 ? { ...parsed, pid } : { ...parsed, files: [configFile], pid: null };
  }

  /** Never throws: what cannot be read is a problem for `/health`. */
  async check(): Promise<void> {
    try {
      await this.#check();
      this.#unreadable = null;
      this.#isMissing = false;
    } catch (error) {
      this.#isMissing = error instanceof UnreadableConfiguration && isMissing(error.cause);
      if (!(error instanceof UnreadableConfiguration)) {
        this.#deps.log.warn('The configuration of HAProxy could not be checked', { cause: causeText(error) });
      }
      this.#onDisk = null;
      const worker = this.#deps.registry.current();
      if (worker !== null && this.#loaded?.worker !== `${worker.pid}:${worker.startTime}`) this.#loaded = null;
      this.#change = 'unknown';
      this.#silentWorker = null;
      this.#unreadable = `configuration: ${causeText(error)}, so its front ends cannot be checked`;
    }
  }

  async #check(): Promise<void> {
    const running = await this.arguments();
    const files = await configurationFilesOf(running);
    const youngest = await youngestOf(files);
    if (this.#onDisk === null || !isSame(this.#onDisk.files, files)) this.#onDisk = this.#read(files);
    const worker = this.#deps.registry.current();
    if (worker === null) {
      // Without the master socket, a reload by a signal must not load an edit either. Up to 3.0 this misses an edit made
      // while the master read the files, which only the worker could tell.
      const age = await youngestChildAge(running.pid);
      this.#change = age !== null && youngest > Date.now() - age + ageSlackMs ? 'changed' : 'none';
      this.#silentWorker = null;
      return;
    }
    const identity = `${worker.pid}:${worker.startTime}`;
    // What a worker has loaded does not change with the files.
    this.#silentWorker = null;
    if (this.#loaded?.worker !== identity) {
      const since = await this.#deps.readSince(worker.pid);
      const isLoaded = since !== null && youngest + tickMs <= since;
      this.#loaded = isLoaded ? { worker: identity, reading: this.#onDisk } : null;
      if (since === null) this.#silentWorker = worker.pid;
    }
    if (this.#silentWorker !== null) this.#change = 'unknown';
    else this.#change = this.#loaded !== null && isSame(this.#loaded.reading.files, files) ? 'none' : 'changed';
  }

  #read(files: readonly ConfigurationFile[]): Reading {
    const { settings } = this.#deps;
    const challenges = challengesIn(files, settings, addChallengeLine(settings.acmeChallengesMap));
    return { files, frontEnds: frontEndsOf(files, settings), maps: mapsNamedIn(files), challenges };
  }

  #reported({ name, place, mode, hasRule, answersBefore }: FrontEnd): FrontEndReport {
    const open = this.#deps.settings.openFrontEnds.includes(name);
    return { name, place, mode, has_rule: hasRule, answered_before: answersBefore, open };
  }
}

function addChallengeLine(map: string): string {
  return `add this line at the start of each front end that the internet reaches at port 80, and reload HAProxy: ${challengeLine(map)}`;
}

function unknownText(worker: number): string {
  return `it is not known whether the configuration was changed after HAProxy loaded it: worker ${worker} does not answer`;
}

function missingRuleProblem({ name, place, answered_before: before }: FrontEndReport): string {
  return `front end ${name} (${place}) has ${missingRuleText(before)}, so blocked addresses are served there`;
}

/** In ms, of the process that the master started last. Null: no master runs, or it has none. */
async function youngestChildAge(master: number | null): Promise<number | null> {
  if (master === null) return null;
  const ages = await Promise.all((await childrenOf(master)).map(ageMs));
  const known = ages.filter((age) => age !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The last change of any of them, in ms of the wall clock; a rename or a changed modification time counts too. */
async function youngestOf(files: readonly ConfigurationFile[]): Promise<number> {
  const times = await Promise.all(
    files.map(async ({ path }) => {
      try {
        // A link with another target is a change too.
        const [file, link] = await Promise.all([stat(path), lstat(path)]);
        return Math.max(file.ctimeMs, link.ctimeMs);
      } catch (error) {
        // Removed between two checks.
        if (isMissing(error)) return Number.POSITIVE_INFINITY;
        throw error;
      }
    }),
  );
  return Math.max(Number.NEGATIVE_INFINITY, ...times);
}

function isSame(some: readonly ConfigurationFile[], others: readonly ConfigurationFile[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ path, text }, index) => path === others[index]?.path && text === others[index]?.text);
}

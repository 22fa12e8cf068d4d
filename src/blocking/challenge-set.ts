// The answers to http-01 challenges (ADR 0085): the map file, and the map of every worker. What there is to answer, the
// database says.
import { pause } from '../concurrency/pause.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { smallMapText } from '../haproxy/map-file/small-map-text.ts';
import { RuntimeMap } from '../haproxy/maps/runtime-map.ts';
import type { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { nothingChanged } from './answers.ts';
import type { WorkerRegistry } from './compare/worker-registry.ts';
import { differences, SmallMap } from './small-map.ts';
import { SmallSetWriter } from './small-set-writer.ts';
import type { ChangeWindows } from './write/change-windows.ts';
import type { RuntimeChanger } from './write/runtime-changer.ts';

/** Where an authority may ask, as this process reaches it. */
export interface ChallengeAddress {
  readonly host: string;
  readonly port: number;
  /** HAProxy expects PROXY protocol of every client. */
  readonly proxyProtocol: boolean;
}

/** How the live configuration uses the map. */
export interface ChallengesInConfiguration {
  /** Whether it names the map, so that workers load it; null: unknown. */
  readonly mapLoaded: boolean | null;
  /** Why some authorities would get no answer, a clause; null: its text does not show it. */
  readonly obstacle: string | null;
  readonly addresses: readonly ChallengeAddress[];
  /** Not every address has to answer. */
  readonly oneSuffices: boolean;
  /** Addresses that this process cannot try, each as a clause. */
  readonly untried: readonly string[];
}

const nowhere = { obstacle: null, addresses: [], oneSuffices: true, untried: [] };
export const unknownChallenges: ChallengesInConfiguration = { mapLoaded: null, ...nowhere };

export interface ChallengesUsage {
  /** As of the last check. */
  readonly last: ChallengesInConfiguration;
  check(): Promise<ChallengesInConfiguration>;
}

const inUse: ChallengesInConfiguration = { mapLoaded: true, ...nowhere };
const usedWholly: ChallengesUsage = { last: inUse, check: async () => inUse };

/** 6052: no authority would get an answer, so nothing is to be asked of it. */
export function challengesNotShown(reason: string): ServiceError {
  return new ServiceError(codes.ChallengesNotShown, 'show challenges', reason);
}

const retryAfterSeconds = 5;

/** 6063: HAProxy starts, reloads or repeats a comparison, which ends by itself. */
export function challengesNotReady(reason: string): ServiceError {
  return new ServiceError(codes.ChallengesNotReady, 'show challenges', reason, { retryAfterSeconds });
}

/** The path at which an authority asks for the token. */
export function challengePath(token: string): string {
  return `/.well-known/acme-challenge/${token}`;
}

/** A worker that starts is compared within this time. */
const shownWithinMs = 5_000;
const pollMs = 50;

interface ChallengeSetDeps {
  /** Key authorizations by token, of all open orders. */
  readonly wanted: () => Promise<ReadonlyMap<string, string>>;
  readonly socket: MasterSocket;
  readonly path: string;
  readonly registry: Pick<WorkerRegistry, 'all' | 'stateOf'>;
  readonly turns: TurnQueue;
  readonly changer: RuntimeChanger;
  readonly windows: ChangeWindows;
  /** Absent: the live configuration uses the map. */
  readonly usage?: ChallengesUsage | undefined;
}

export class ChallengeSet {
  readonly map: SmallMap;
  readonly #deps: ChallengeSetDeps;
  readonly #usage: ChallengesUsage;
  readonly #writer: SmallSetWriter;
  /** Answers of no order, by token. */
  readonly #trials = new Map<string, string>();

  constructor(deps: ChallengeSetDeps) {
    const { socket, path, turns, windows, changer } = deps;
    this.#deps = deps;
    this.#usage = deps.usage ?? usedWholly;
    this.map = new SmallMap({
      name: 'acme_challenges',
      path,
      runtime: new RuntimeMap({ socket, path, keys: 'challenges', valueFor: (key) => this.map.valueFor(key) }),
      reread: () => this.updateChallengeMap(),
      unused: () => this.#usage.last.mapLoaded === false,
      inEveryWorker: false,
    });
    this.#writer = new SmallSetWriter({ turns, windows, changer, writeFiles: () => this.#writeFile() });
  }

  /** Called at start, before every reload, and by a sync. */
  async updateChallengeMap(): Promise<void> {
    await this.#deps.turns.take('urgent', async () => {
      this.map.replaceAll(await this.#wanted());
      await this.#writeFile();
    });
  }

  /** False: another process changed or removed it, or it was never written. */
  async fileUnchanged(): Promise<boolean> {
    return await this.map.file.unchanged();
  }

  /** How the live configuration uses it now. */
  async inConfiguration(): Promise<ChallengesInConfiguration> {
    return await this.#usage.check();
  }

  /** Shows one more answer, of no order, during `work`. Errors: those of `show` and of `work`. */
  async during<T>([token, answer]: readonly [token: string, answer: string], work: () => Promise<T>): Promise<T> {
    this.#trials.set(token, answer);
    try {
      await this.show();
      return await work();
    } finally {
      this.#trials.delete(token);
      await this.clear();
    }
  }

  /**
   * Shows what the database has, and nothing else. Returns when the file is durable and every current worker was read
   * back to hold it, also one that started meanwhile. Errors: 6052, 6063, 6004, 6002.
   */
  async show(): Promise<void> {
    const { obstacle } = await this.#usage.check();
    if (obstacle !== null) throw challengesNotShown(obstacle);
    await this.clear();
    const deadline = performance.now() + shownWithinMs;
    for (let left = this.#obstacle(); left !== null; left = this.#obstacle()) {
      if (performance.now() >= deadline) throw challengesNotReady(left);
      await pause(pollMs);
    }
  }

  /**
   * Removes what the database does not have any more. Answers that stay are looked up in the workers too: another process
   * may have changed them. Errors: 6004, 6002.
   */
  async clear(): Promise<void> {
    await this.#writer.change(null, async () => {
      const before = new Map(this.map.entries());
      const wanted = await this.#wanted();
      const { remove } = differences(before, wanted);
      const add = [...wanted.keys()];
      return {
        texts: [...add, ...remove],
        store: async () => {
          if (add.length + remove.length === 0) return null;
          this.map.replaceAll(wanted);
          const undo = async (): Promise<void> => this.map.replaceAll(before);
          const maps = [{ map: this.map, add, remove }];
          return { value: null, counts: { ...nothingChanged, updated: 1 }, maps, undo };
        },
      };
    });
  }

  /** Why a current worker may not answer; null: all do. */
  #obstacle(): string | null {
    const current = this.#deps.registry.all().filter(({ role }) => role === 'current');
    if (current.length === 0) return 'no worker was found';
    for (const worker of current) {
      const { inSync, reason } = this.#deps.registry.stateOf(worker, this.map.name);
      if (!inSync) return `current worker ${worker.pid}: ${reason ?? 'not verified'}`;
    }
    return null;
  }

  async #wanted(): Promise<ReadonlyMap<string, string>> {
    return new Map(
      [...(await this.#deps.wanted()), ...this.#trials].map(([token, answer]) => [challengePath(token), answer]),
    );
  }

  async #writeFile(): Promise<void> {
    await this.map.file.write(smallMapText('answers to ACME challenges', this.map.entries()));
  }
}

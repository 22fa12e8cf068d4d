// Each operation through the service and as raw commands, while the load runs.
import { spare } from '../testkit/load/lists.ts';
import type { LoadGenerator } from '../testkit/load/traffic-loader.ts';
import type { LoadPlan, LoadReport } from '../testkit/load/traffic-schedule.ts';
import type { RawProxy } from './traffic-raw.ts';
import { bodyOf, type TrafficService } from './traffic-service.ts';
import type { TrafficSet } from './traffic-set.ts';

export interface TrafficOptions {
  readonly entries: number;
  readonly bin: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: all. Preconditions of a phase are met without load if their phase is left out. */
  readonly only?: readonly PhaseName[];
  /** In all, divided among the `rounds`. */
  readonly reloads: number;
  /** How often service and raw commands alternate in phases that can be repeated: sync and reloads. */
  readonly rounds: number;
  /** For the control and the blocks. */
  readonly quietMs: number;
  readonly blocksMs: number;
  readonly tailMs: number;
  readonly load: Omit<LoadPlan, 'port'>;
  readonly signal?: AbortSignal;
  readonly onPhase?: (result: PhaseResult) => void;
  readonly progress?: (line: string) => void;
}

export const usual: Omit<TrafficOptions, 'entries' | 'bin'> = {
  reloads: 50,
  rounds: 5,
  quietMs: 5_000,
  blocksMs: 20_000,
  tailMs: 1_000,
  load: {
    host: 'localhost',
    timeoutMs: 10_000,
    keepAlive: { perSecond: 200, connections: 16 },
    fresh: { perSecond: 100 },
  },
};

export const phaseNames = ['quiet', 'blocks', 'import', 'sync', 'unexpected', 'reloads', 'removal'] as const;
export type PhaseName = (typeof phaseNames)[number];

export interface PhaseSide {
  readonly load: LoadReport;
  readonly workMs: number;
}

export interface PhaseResult {
  readonly phase: PhaseName;
  readonly service: PhaseSide;
  readonly raw: PhaseSide;
  /** Milliseconds from the first; as many raw ones follow. */
  readonly starts: Starts;
}

export interface Stage {
  readonly options: TrafficOptions;
  readonly set: TrafficSet;
  readonly service: TrafficService;
  readonly raw: RawProxy;
  readonly generator: LoadGenerator;
  /** Whether raw deletes go one by one, as the service's from 2.9 on, or as a replacement. */
  readonly fastDeletes: boolean;
  readonly blocked: string[];
}

/** Milliseconds since the start of the phase. */
type Starts = readonly number[];

interface Phase {
  /** Of both sides, before the load runs. */
  prepare?(stage: Stage, side: 'service' | 'raw'): Promise<void>;
  /** Returns the work: the client prepares before the load runs. */
  service(stage: Stage): () => Promise<Starts>;
  raw(stage: Stage, starts: Starts): Promise<void>;
}

const blockers = 8;
const warmUpMs = 2_000;
const repeatable: ReadonlySet<PhaseName> = new Set(['sync', 'reloads']);

const phases: Readonly<Record<PhaseName, Phase>> = {
  quiet: {
    service:
      ({ options }) =>
      () =>
        waited(options.quietMs),
    raw: async ({ options }) => void (await waited(options.quietMs)),
  },

  // Eight clients. The raw side blocks at the same moments: as fast as possible would be ten times as many.
  blocks: {
    service:
      ({ options, service, blocked }) =>
      async () => {
        const starts: number[] = [];
        const began = performance.now();
        const client = async (): Promise<void> => {
          while (performance.now() - began < options.blocksMs) {
            const ip = spare(blocked.length);
            blocked.push(ip);
            starts.push(performance.now() - began);
            await service.block(ip);
          }
        };
        await Promise.all(Array.from({ length: blockers }, client));
        return starts;
      },
    async raw({ raw, blocked }, starts) {
      const ips = blocked.slice(-starts.length);
      await atTheSamePace(starts, blockers, (index) => raw.block(ips[index]!));
    },
  },

  import: {
    service({ service, set, blocked }) {
      const body = bodyOf([blocked, set.all]);
      return () => once(service.put(body));
    },
    raw: async ({ raw, set }) => await raw.load(set.all),
  },

  sync: {
    service:
      ({ service }) =>
      () =>
        once(service.sync()),
    async raw({ raw, set, blocked }) {
      expectCount(await raw.list(), set.all.length + blocked.length);
    },
  },

  // As many as there are entries.
  unexpected: {
    async prepare({ service, raw, set, blocked }, side) {
      const strays = set.all.map((_, index) => spare(blocked.length + index));
      await (side === 'service' ? service.addBehindItsBack(strays) : raw.load(strays));
    },
    service:
      ({ service }) =>
      () =>
        once(service.resumeAndSync()),
    async raw({ raw, set, blocked }) {
      await raw.replace([...blocked, ...set.all]);
      expectCount(await raw.list(), set.all.length + blocked.length);
    },
  },

  // Each waits for the new worker; raw reloads start at the same moments.
  reloads: {
    service:
      ({ options, service }) =>
      async () => {
        const starts: number[] = [];
        const began = performance.now();
        for (let round = 0; round < reloadsPerRound(options); round += 1) {
          starts.push(performance.now() - began);
          await service.reload();
        }
        return starts;
      },
    raw: async ({ raw }, starts) => await atTheSamePace(starts, 1, () => raw.reload()),
  },

  removal: {
    service({ service, set, blocked }) {
      const body = bodyOf([blocked, set.kept]);
      return () => once(service.put(body));
    },
    async raw({ raw, set, blocked, fastDeletes }) {
      if (fastDeletes) await raw.remove(set.removed);
      else await raw.replace([...blocked, ...set.kept]);
      expectCount(await raw.list(), set.kept.length + blocked.length);
    },
  },
};

/** Service and raw commands alternate. @throws the signal's reason */
export async function runPhases(stage: Stage): Promise<PhaseResult[]> {
  const { options, raw, set, blocked } = stage;
  const wanted = new Set(options.only ?? phaseNames);
  const results: PhaseResult[] = [];
  // Warms up the generator.
  for (const { port } of [stage.service, raw]) {
    await stage.generator.during({ ...options.load, port }, Math.min(options.quietMs, warmUpMs), async () => undefined);
  }
  for (const phase of phaseNames) {
    const { service: ours, raw: theirs } = phases[phase];
    if (!wanted.has(phase)) {
      // The later phases need only the million.
      if (phase !== 'import') continue;
      if (!phaseNames.slice(phaseNames.indexOf(phase) + 1).some((later) => wanted.has(later))) continue;
      options.progress?.('import, without load');
      await orAborted(options.signal, ours(stage)());
      await orAborted(options.signal, theirs(stage, [0]));
      continue;
    }
    if (phase === 'reloads') raw.writeFile([...blocked, ...set.all]);
    for (let round = 0; round < (repeatable.has(phase) ? options.rounds : 1); round += 1) {
      const result = await measured(stage, phase);
      results.push(result);
      options.onPhase?.(result);
    }
  }
  return results;
}

async function measured(stage: Stage, phase: PhaseName): Promise<PhaseResult> {
  const { options, service, raw, generator } = stage;
  const { prepare, service: ours, raw: theirs } = phases[phase];
  options.progress?.(`${phase}: service`);
  const work = ours(stage);
  // Work left by an earlier phase does not count here.
  await service.real.healthy(60_000);
  await prepare?.(stage, 'service');
  const began = await generator.during({ ...options.load, port: service.port }, options.tailMs, () =>
    orAborted(options.signal, work()),
  );
  options.progress?.(`${phase}: raw commands (the service took ${Math.round(began.workMs)} ms)`);
  const beside = await service.paused(async () => {
    await prepare?.(stage, 'raw');
    return await generator.during({ ...options.load, port: raw.port }, options.tailMs, () =>
      orAborted(options.signal, theirs(stage, began.result)),
    );
  });
  return {
    phase,
    service: { load: began.load, workMs: began.workMs },
    raw: { load: beside.load, workMs: beside.workMs },
    starts: began.result,
  };
}

function reloadsPerRound({ reloads, rounds }: TrafficOptions): number {
  return Math.ceil(reloads / rounds);
}

/** After an abort the failure of the work says nothing new. */
async function orAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return await work;
  work.catch(() => undefined);
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** At the given moments; a late operation starts at once. */
async function atTheSamePace(
  startsMs: Starts,
  hands: number,
  operation: (index: number) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  let next = 0;
  const hand = async (): Promise<void> => {
    while (next < startsMs.length) {
      const index = next;
      next += 1;
      await waited(began + startsMs[index]! - performance.now());
      await operation(index);
    }
  };
  await Promise.all(Array.from({ length: hands }, hand));
}

async function waited(ms: number): Promise<Starts> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  return [0];
}

async function once(operation: Promise<void>): Promise<Starts> {
  await operation;
  return [0];
}

function expectCount(seen: number, expected: number): void {
  if (seen !== expected) throw new Error(`the raw proxy holds ${seen} entries, not ${expected}`);
}

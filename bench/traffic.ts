// Traffic through HAProxy with the service, and with raw commands and no service:
//   node bench/traffic.ts --proxy-bin haproxy --entries 1000000 --only import,sync --reloads 50 --json FILE
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { capabilitiesOf, readProxyVersion } from '../src/haproxy/process/proxy-version.ts';
import { LoadGenerator } from '../testkit/load/traffic-loader.ts';
import type { Bench } from './bench.ts';
import { type Figure, table } from './figures.ts';
import { figuresOf } from './traffic-figures.ts';
import {
  type PhaseName,
  type PhaseResult,
  phaseNames,
  runPhases,
  type TrafficOptions,
  usual,
} from './traffic-phases.ts';
import { RawProxy } from './traffic-raw.ts';
import { TrafficService } from './traffic-service.ts';
import { trafficSet } from './traffic-set.ts';

interface TrafficMeasurement {
  readonly figures: readonly Figure[];
  readonly phases: readonly PhaseResult[];
}

/** Starts and stops its own service, proxy and load generator. */
export async function measureTraffic(
  options: Partial<TrafficOptions> & Pick<TrafficOptions, 'entries' | 'bin'>,
): Promise<TrafficMeasurement> {
  const version = await readProxyVersion(options.bin);
  const { fastDeletes } = capabilitiesOf(version);
  const set = trafficSet(options.entries);
  await using stack = new AsyncDisposableStack();
  const service = await TrafficService.start(options.bin, options.environment);
  stack.defer(() => service.stop());
  const raw = await RawProxy.start(options.bin, service.real);
  stack.defer(() => raw.stop());
  const generator = await LoadGenerator.start();
  stack.defer(() => generator.stop());
  const all = { ...usual, ...options };
  const phases = await runPhases({ options: all, set, service, raw, generator, fastDeletes, blocked: [] });
  return { phases, figures: figuresOf(phases, all.entries, fastDeletes) };
}

/** Has its own service and proxies: the others' hold their sets already. */
export async function trafficRow({ entries, bin, started, say }: Bench): Promise<readonly Figure[]> {
  const abort = new AbortController();
  const measured = Promise.withResolvers<void>();
  const stopped = await started.start(async () => ({
    stop: async () => {
      abort.abort(new Error('the bench is being stopped'));
      await measured.promise;
    },
  }));
  try {
    return (await measureTraffic({ entries, bin, signal: abort.signal, progress: say })).figures;
  } finally {
    measured.resolve();
    await started.stop(stopped);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      entries: { type: 'string', default: '1000000' },
      'proxy-bin': { type: 'string', default: 'haproxy' },
      only: { type: 'string' },
      reloads: { type: 'string', default: String(usual.reloads) },
      rounds: { type: 'string', default: String(usual.rounds) },
      json: { type: 'string' },
    },
  });
  const number = (name: 'entries' | 'reloads' | 'rounds'): number => {
    const value = Number(values[name]);
    if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} takes a number above 0`);
    return value;
  };
  const only = values.only?.split(',');
  const unknown = only?.find((name) => !phaseNames.includes(name as PhaseName));
  if (unknown !== undefined) throw new Error(`--only knows ${phaseNames.join(', ')}, not ${unknown}`);
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => abort.abort(new Error(`stopped by ${signal}`)));
  }
  const began = performance.now();
  const phases: PhaseResult[] = [];
  try {
    await measureTraffic({
      entries: number('entries'),
      reloads: number('reloads'),
      rounds: number('rounds'),
      bin: values['proxy-bin'],
      ...(only === undefined ? {} : { only: only as PhaseName[] }),
      signal: abort.signal,
      onPhase: (phase) => phases.push(phase),
      progress: (line) => process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1)} s  ${line}\n`),
    });
  } finally {
    // After a stop or failure the rows measured so far are reported.
    const { fastDeletes } = capabilitiesOf(await readProxyVersion(values['proxy-bin']));
    const figures = figuresOf(phases, number('entries'), fastDeletes);
    process.stdout.write(table(figures));
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ figures, phases }, null, 2)}\n`);
  }
}

if (import.meta.main) await main();

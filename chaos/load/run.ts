// One load: starts and fills the stack, runs clients and traffic, samples each second, and compares the result.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../testkit/conditions.ts';
import { PartProcess } from '../../testkit/load/calls.ts';
import { address } from '../../testkit/load/lists.ts';
import { LoadGenerator } from '../../testkit/load/traffic-loader.ts';
import type { LoadReport } from '../../testkit/load/traffic-schedule.ts';
import { RealService } from '../../testkit/real-service.ts';
import { disagreements } from './agreement.ts';
import type { ClientsReport } from './clients.ts';
import type { ClientsCalls } from './clients-process.ts';
import type { LoadOptions } from './options.ts';
import { Sampler, type Samples, type Watched, watched } from './sampler.ts';
import { grows, lowsOf, type Trend, trendOf } from './trend.ts';

export interface LoadResult {
  readonly clients: ClientsReport;
  readonly traffic: LoadReport;
  readonly samples: Samples;
  readonly trends: Readonly<Partial<Record<Watched, Trend>>>;
  /** Besides the answers that the clients judged. */
  readonly faults: readonly string[];
}

const progressEveryMs = 10_000;
const trafficTailMs = 200;
/** Of a load whose memory is judged. */
const leastJudgedSeconds = 180;
/** Does not wait for HAProxy's own deadline of draining workers. */
const trafficPlan = {
  host: 'localhost',
  timeoutMs: 180_000,
  keepAlive: { perSecond: 100, connections: 16 },
  fresh: { perSecond: 40 },
};

export async function runLoad(
  options: LoadOptions,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'load-'));
  const ends: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true })];
  try {
    return await run(options, folder, say, signal, ends);
  } finally {
    for (const end of ends.reverse()) await end().catch((error: unknown) => say(`not stopped: ${String(error)}`));
  }
}

async function run(
  options: LoadOptions,
  folder: string,
  say: (text: string) => void,
  signal: AbortSignal,
  ends: (() => Promise<void>)[],
): Promise<LoadResult> {
  const insidePath = join(folder, 'inside');
  writeFileSync(insidePath, '');
  const service = await RealService.start({
    bin: options.proxyBin,
    environment: {
      LOAD_FIGURES: insidePath,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'inside.ts')}`,
    },
  });
  ends.push(() => service.stop());
  if (options.keep) ends.push(() => keepLogs(service, say));
  say(`fills ${options.entries} entries`);
  await fill(service, options.entries);
  const part = new PartProcess<ClientsCalls>(join(import.meta.dirname, 'clients-process.ts'));
  ends.push(() => part.stop());
  const traffic = await LoadGenerator.start();
  ends.push(() => traffic.stop());

  say(`${options.clients} clients for ${options.seconds} s`);
  const sampler = new Sampler(service, insidePath);
  ends.push(() => sampler.stop());
  const progress = progressReports(part, sampler, say);
  let clients: ClientsReport;
  let load: LoadReport;
  try {
    const both = await traffic.during({ ...trafficPlan, port: service.proxyPort }, trafficTailMs, () =>
      untilAborted(
        part.call('run', {
          apiPort: service.apiPort,
          proxyPort: service.proxyPort,
          key: service.key,
          clients: options.clients,
          seconds: options.seconds,
          entries: options.entries,
          seed: options.seed,
          thinkMs: options.thinkMs,
        }),
        signal,
      ),
    );
    clients = both.result;
    load = both.load;
  } finally {
    await progress.stop();
  }
  await sampler.stop();
  const faults: string[] = [];
  if (sampler.failure !== null) faults.push(`the figures could not be taken: ${String(sampler.failure)}`);
  await service.healthy().catch(async (error: unknown) => {
    faults.push(`${String(error)}: ${(await service.health()).text}`);
  });
  // A client that gave up left its list or sync running; a sync waits for it.
  const synced = await service.call('POST', '/api/blocked-ips/sync');
  if (synced.status !== 200) faults.push(`the sync at the end: ${synced.status} ${synced.text.slice(0, 500)}`);
  faults.push(...(await disagreements(service, options.entries, clients)));
  if (load.all.failed > 0) {
    const causes = JSON.stringify(load.all.firstFailures.slice(0, 5));
    faults.push(`${load.all.failed} of ${load.all.sent} requests of the traffic failed: ${causes}`);
  }
  const trends = trendsOf(sampler.samples);
  for (const [name, trend] of Object.entries(trends) as [Watched, Trend][]) {
    const { flat, name: text, unit } = watched[name];
    // A slow machine makes a short load long, whose caches are still being filled.
    if (flat === null || options.seconds < leastJudgedSeconds || !grows(trend, flat)) continue;
    faults.push(`${text} grows: from ${trend.early.toFixed(1)} to ${trend.late.toFixed(1)} ${unit}`);
  }
  return { clients, traffic: load, samples: sampler.samples, trends, faults };
}

async function fill(service: RealService, entries: number): Promise<void> {
  const raw = Array.from({ length: entries }, (_, index) => `${address(index)}\n`).join('');
  const answer = await service.call('PUT', '/api/blocked-ips', { raw, contentType: 'text/plain' });
  if (answer.status !== 200) throw new Error(`the set was not filled: ${answer.status} ${answer.text.slice(0, 500)}`);
  // Not used yet, but on a busy machine a second probe may be needed.
  await eventually(
    'the running map holds the set',
    async () => (await service.call('POST', '/api/blocked-ips/sync')).status === 200,
    undefined,
    500,
  );
  await service.healthy();
}

function progressReports(part: PartProcess<ClientsCalls>, sampler: Sampler, say: (text: string) => void) {
  let doneBefore = 0;
  let reporting: Promise<void> = Promise.resolve();
  const reportOnce = async (): Promise<void> => {
    const progress = await part.call('progress');
    if (progress === null) return;
    const { done, wrongTotal, recent, underWay } = progress;
    const rate = Math.round(((done - doneBefore) * 1_000) / progressEveryMs);
    doneBefore = done;
    const ms = [recent.p50, recent.p99, recent.longest].map((value) => value.toFixed(0)).join('/');
    const [memory, workers] = [sampler.latest('rss_mb').toFixed(0), sampler.latest('workers')];
    say(`${rate}/s, fast path ${ms} ms, ${underWay} under way, ${wrongTotal} wrong, ${memory} MB, ${workers} workers`);
  };
  const timer = setInterval(() => {
    // The code that waits for the report fails instead.
    reporting = reporting.then(reportOnce).catch(() => undefined);
  }, progressEveryMs);
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await reporting;
    },
  };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const ended = new AbortController();
  const aborted = pause(2 ** 31 - 1, undefined, { signal: AbortSignal.any([signal, ended.signal]) });
  try {
    return await Promise.race([work, aborted as Promise<never>]);
  } finally {
    ended.abort();
    await aborted.catch(() => undefined);
  }
}

function trendsOf(samples: Samples): Partial<Record<Watched, Trend>> {
  const trends: Partial<Record<Watched, Trend>> = {};
  for (const [name, all] of Object.entries(samples) as [Watched, Samples[Watched]][]) {
    const figure = watched[name];
    const trend = trendOf('lowsOfSeconds' in figure ? lowsOf(all, figure.lowsOfSeconds) : all);
    if (trend !== null) trends[name] = trend;
  }
  return trends;
}

async function keepLogs(service: RealService, say: (text: string) => void): Promise<void> {
  const kept = mkdtempSync(join(tmpdir(), 'load-kept-'));
  for (const [name, path] of [
    ['log', service.paths.jsonLog],
    ['proxy-output', service.paths.proxyOutput],
  ] as const) {
    copyFileSync(path, join(kept, name));
  }
  say(`logs are kept in ${kept}`);
}

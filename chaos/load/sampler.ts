// Samples service and proxy each second, from outside and by `inside.ts`.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { memoryOf, processesOf, processorTime } from '../../testkit/load/process-figures.ts';
import type { RealService } from '../../testkit/real-service.ts';
import type { InsideFigures } from './inside.ts';
import type { Sample } from './trend.ts';

/** How much figures may grow from the second minute to the last. */
export const watched = {
  rss_mb: { name: 'memory of the service', unit: 'MB', flat: { share: 0.15, least: 20 } },
  /** Between two garbage collections of a busy service the heap doubles, and falls. */
  heap_mb: { name: 'its heap in use, lowest of 20 s', unit: 'MB', flat: { share: 0.15, least: 10 }, lowsOfSeconds: 20 },
  external_mb: { name: 'its memory outside the heap', unit: 'MB', flat: { share: 0.15, least: 10 } },
  descriptors: { name: 'descriptors', unit: '', flat: { share: 0.05, least: 10 } },
  sockets: { name: 'sockets', unit: '', flat: { share: 0.05, least: 10 } },
  handles: { name: 'handles', unit: '', flat: { share: 0.05, least: 10 } },
  loop_delay_ms: { name: "the event loop's worst delay of a second", unit: 'ms', flat: { share: 0.5, least: 25 } },
  database_log_mb: { name: "the database's write-ahead log", unit: 'MB', flat: { share: 0.15, least: 20 } },
  map_file_mb: { name: 'the map file', unit: 'MB', flat: { share: 0.15, least: 3 } },
  workers: { name: 'workers of HAProxy', unit: '', flat: { share: 0, least: 2 } },
  proxy_rss_mb: { name: 'memory of HAProxy', unit: 'MB', flat: { share: 0.3, least: 60 } },
  service_cpu: { name: 'processor of the service', unit: 'cores', flat: null },
} as const;

export type Watched = keyof typeof watched;
export type Samples = Readonly<Record<Watched, Sample[]>>;

const megabyte = 2 ** 20;

export class Sampler {
  readonly samples = Object.fromEntries(Object.keys(watched).map((name) => [name, []])) as unknown as Samples;
  readonly #service: RealService;
  readonly #insidePath: string;
  readonly #began = performance.now();
  readonly #beganAt = Date.now();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #processor = 0;
  /** A failed sample fails the load. */
  failure: unknown = null;

  constructor(service: RealService, insidePath: string) {
    this.#service = service;
    this.#insidePath = insidePath;
    this.#processor = processorTime(service.pid);
    this.#timer = setInterval(() => {
      this.#looking = this.#looking
        .then(() => this.#look())
        .catch((error: unknown) => {
          this.failure ??= error;
        });
    }, 1_000);
  }

  latest(name: Watched): number {
    return this.samples[name].at(-1)?.value ?? Number.NaN;
  }

  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    await this.#looking;
    for (const line of readFileSync(this.#insidePath, 'utf8').split('\n')) {
      if (line === '') continue;
      const { at, ...inside } = JSON.parse(line) as InsideFigures;
      if (at < this.#beganAt) continue;
      for (const [name, value] of Object.entries(inside)) {
        this.samples[name as Watched].push({ seconds: (at - this.#beganAt) / 1_000, value });
      }
    }
  }

  async #look(): Promise<void> {
    const seconds = (performance.now() - this.#began) / 1_000;
    const { pid, paths } = this.#service;
    const add = (name: Watched, value: number): void => {
      // An ending process has no memory.
      if (Number.isFinite(value)) this.samples[name].push({ seconds, value });
    };
    const processor = processorTime(pid);
    add('service_cpu', (processor - this.#processor) / 1_000);
    this.#processor = processor;
    const own = await processesOf(pid);
    add('rss_mb', memoryOf(own.filter(isThere)).now);
    const opened = own.flatMap(descriptorsOf);
    add('descriptors', opened.length);
    add('sockets', opened.filter((target) => target.startsWith('socket:')).length);
    add('database_log_mb', sizeOf(`${paths.database}-wal`));
    add('map_file_mb', sizeOf(paths.blockedMap));
    const proxy = await this.#service.proxyPids();
    // Without the master and configuration checks.
    add('workers', proxy.length - 1);
    add('proxy_rss_mb', memoryOf(proxy.filter(isThere)).now);
  }
}

function isThere(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false }) !== undefined;
}

/** Targets of the descriptors, without those closed meanwhile. */
function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return orGone(() => readdirSync(folder), []).flatMap((name) => orGone(() => [readlinkSync(`${folder}/${name}`)], []));
}

function sizeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / megabyte;
}

function orGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return otherwise;
    throw error;
  }
}

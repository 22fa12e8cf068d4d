// The process itself, under the names of all Prometheus clients, and signs of overload in Node. The library's own
// defaults wake an idle process a hundred times a second, and `promtool check metrics` rejects some of their names.
import { readdirSync, readFileSync } from 'node:fs';
import { type Instruments, OptionalGauge } from './instruments.ts';

export class ProcessMetrics {
  readonly #cpu;
  readonly #memory;
  readonly #openFiles;
  readonly #heap;
  readonly #active;

  /** @param instruments without a prefix */
  constructor(instruments: Instruments) {
    this.#cpu = instruments.counter('process_cpu_seconds_total', 'Processor time of the service.');
    this.#memory = instruments.gauge('process_resident_memory_bytes', 'Resident memory of the service.');
    this.#openFiles = new OptionalGauge(instruments, 'process_open_fds', 'Open file descriptors.');
    this.#heap = instruments.gauge('nodejs_heap_used_bytes', 'Used part of the JavaScript heap.');
    this.#active = instruments.counter(
      'nodejs_eventloop_active_seconds_total',
      'Time in which the event loop was busy; its rate is the load of the one thread.',
    );
    const most = new OptionalGauge(instruments, 'process_max_fds', 'Limit of open file descriptors.');
    most.set(mostOpenFiles());
    instruments.gauge('process_start_time_seconds', 'When the service started.').set(performance.timeOrigin / 1_000);
  }

  refresh(): void {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    this.#cpu.reset();
    this.#cpu.inc((user + system) / 1_000_000);
    this.#memory.set(rss);
    this.#heap.set(heapUsed);
    this.#active.reset();
    this.#active.inc(performance.eventLoopUtilization().active / 1_000);
    this.#openFiles.set(openFiles());
  }
}

/** Null without /proc, or if no file descriptor is left to read it. */
function openFiles(): number | null {
  try {
    // Without the descriptor of this read.
    return readdirSync('/proc/self/fd').length - 1;
  } catch (error) {
    return withoutProc(error);
  }
}

/** The soft limit comes first: `Max open files            1024                 20000                files`. */
function mostOpenFiles(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch (error) {
    return withoutProc(error);
  }
}

function withoutProc(error: unknown): null {
  if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  return null;
}

// Counters that the parts of the service update while they work; created before them.

import type { Registry } from '@prometheus-io/client';
import type { FactListener } from '../events/facts.ts';
import { type CommandName, type CommandObserver, commandNames } from '../haproxy/socket/command-observer.ts';
import type { SocketFailureReason } from '../haproxy/socket/master-socket.ts';
import type { RequestObserver } from '../http/services.ts';
import { AcmeMetrics } from './acme-metrics.ts';
import { CertificateMetrics } from './certificate-metrics.ts';
import { DriftMetrics } from './drift-metrics.ts';
import { InsightMetrics } from './insight-metrics.ts';
import { Instruments, seriesTable } from './instruments.ts';
import { OperationMetrics } from './operation-metrics.ts';
import { ReloadMetrics } from './reload-metrics.ts';
import { WebhookMetrics } from './webhook-metrics.ts';

// Duration of HAProxy commands, and failures of unanswered ones.

/** Seconds. A lookup takes 0.1 ms, a `del map` on 2.6 up to 40 ms, a listing of a million 0.1 s, a reload one or two. */
const commandBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

class CommandMetrics implements CommandObserver {
  readonly #durations: Readonly<Record<CommandName, { observe(seconds: number): void }>>;
  readonly #failures;

  constructor(instruments: Instruments) {
    const durations = instruments.histogram(
      'command_duration_seconds',
      'Time from a command to its complete reply, on the sockets of HAProxy.',
      commandBuckets,
      ['command'],
    );
    this.#durations = seriesTable(commandNames, (command) => {
      durations.zero({ command });
      return durations.labels(command);
    });
    this.#failures = instruments.counter(
      'command_failures_total',
      'Commands without a complete reply, and failed connections, refusals during a reload included.',
      ['command', 'reason'],
    );
  }

  answered(command: CommandName, milliseconds: number): void {
    this.#durations[command].observe(milliseconds / 1_000);
  }

  failed(command: CommandName | 'connect', reason: SocketFailureReason): void {
    this.#failures.inc({ command, reason });
  }
}

// Duration of API requests, by route and class of status.

/** Seconds. A verified block takes 2.4 ms; two seconds are what it may take; a sync of millions takes more. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];
const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

type Series = { observe(seconds: number): void };

class RequestMetrics implements RequestObserver {
  readonly #durations;
  /** Looked up once each: every block is a request. */
  readonly #series = new Map<string, Series>();

  constructor(instruments: Instruments) {
    this.#durations = instruments.histogram(
      'http_request_duration_seconds',
      'Time from the headers of a request to the end of its response.',
      requestBuckets,
      ['method', 'route', 'status'],
    );
  }

  answered(method: string, route: string | null, status: number, milliseconds: number): void {
    const index = Math.min(Math.max(Math.trunc(status / 100), 1), classes.length) - 1;
    // Unknown paths may be anything, so they share one series.
    const series = route === null ? this.#seriesOf('', 'none', index) : this.#seriesOf(method, route, index);
    series.observe(milliseconds / 1_000);
  }

  #seriesOf(method: string, route: string, index: number): Series {
    const status = classes[index]!;
    const key = `${method} ${route} ${status}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const series = this.#durations.labels({ method, route, status });
    this.#series.set(key, series);
    return series;
  }
}

// Groups of the writer: their sizes and durations.

/** A group ends at 1,000. */
const groupSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000];
/** Seconds; 1.4 of them are what the running maps are waited for. */
const groupDurations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 5];

class GroupMetrics {
  readonly #sizes;
  readonly #durations;

  constructor(instruments: Instruments) {
    this.#sizes = instruments.histogram('group_changes', 'Changes in one group.', groupSizes);
    this.#durations = instruments.histogram(
      'group_duration_seconds',
      'Time of a group: database, map file, and every worker with read-back.',
      groupDurations,
    );
  }

  ended(changes: number, milliseconds: number): void {
    this.#sizes.observe(changes);
    this.#durations.observe(milliseconds / 1_000);
  }
}

/** Counts facts, and reports of single parts where a fact would cost too much. */
export class MetricObservers {
  readonly operations: OperationMetrics;
  readonly groups: GroupMetrics;
  readonly commands: CommandMetrics;
  readonly drift: DriftMetrics;
  readonly reloads: ReloadMetrics;
  readonly requests: RequestMetrics;
  readonly webhooks: WebhookMetrics;
  readonly certificates: CertificateMetrics;
  readonly insight: InsightMetrics;
  readonly acme: AcmeMetrics;

  readonly listener: FactListener = (fact) => {
    this.operations.listener(fact);
    if (fact.type === 'reload.ended') this.reloads.ended(fact.data);
    if (fact.type === 'certificate.repaired') this.certificates.repaired();
  };

  constructor(registry: Registry) {
    const instruments = new Instruments(registry);
    this.operations = new OperationMetrics(instruments);
    this.groups = new GroupMetrics(instruments);
    this.commands = new CommandMetrics(instruments);
    this.drift = new DriftMetrics(instruments);
    this.reloads = new ReloadMetrics(instruments);
    this.requests = new RequestMetrics(instruments);
    this.webhooks = new WebhookMetrics(instruments);
    this.certificates = new CertificateMetrics(instruments);
    this.insight = new InsightMetrics(instruments);
    this.acme = new AcmeMetrics(instruments);
  }
}

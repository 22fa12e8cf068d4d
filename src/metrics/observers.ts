// What the parts of the service tell of themselves while they work; made before them. None of them knows the library.
import type { Registry } from '@prometheus-io/client';
import { CommandMetrics } from './command-metrics.ts';
import { DriftMetrics } from './drift-metrics.ts';
import { GroupMetrics } from './group-metrics.ts';
import { Instruments } from './instruments.ts';
import { OperationMetrics } from './operation-metrics.ts';
import { ReloadMetrics } from './reload-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';
import { WebhookMetrics } from './webhook-metrics.ts';

export class MetricObservers {
  readonly operations: OperationMetrics;
  readonly groups: GroupMetrics;
  readonly commands: CommandMetrics;
  readonly drift: DriftMetrics;
  readonly reloads: ReloadMetrics;
  readonly requests: RequestMetrics;
  readonly webhooks: WebhookMetrics;

  constructor(registry: Registry) {
    const instruments = new Instruments(registry);
    this.operations = new OperationMetrics(instruments);
    this.groups = new GroupMetrics(instruments);
    this.commands = new CommandMetrics(instruments);
    this.drift = new DriftMetrics(instruments);
    this.reloads = new ReloadMetrics(instruments);
    this.requests = new RequestMetrics(instruments);
    this.webhooks = new WebhookMetrics(instruments);
  }
}

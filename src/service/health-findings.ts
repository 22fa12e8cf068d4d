// What a probe found, and which part of the whole it concerns.
import { type HealthPart, type HealthVerdict, healthParts } from '../metrics/health-metrics.ts';

export class HealthFindings {
  readonly reasons: string[] = [];
  readonly #concerned = new Set<HealthPart>();

  add(part: HealthPart, ...reasons: readonly string[]): void {
    this.reasons.push(...reasons);
    if (reasons.length > 0) this.#concerned.add(part);
  }

  verdict(status: HealthVerdict['status']): HealthVerdict {
    const parts = Object.fromEntries(healthParts.map((part) => [part, !this.#concerned.has(part)]));
    return { status, parts: parts as Record<HealthPart, boolean> };
  }
}

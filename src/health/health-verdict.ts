import type { NotChecked, ProbeResult } from './timed-probe.ts';

/** The problems found, and the parts that they concern. */
export class HealthFindings {
  readonly reasons: string[] = [];
  readonly #concerned = new Set<HealthPart>();
  readonly #unknown = new Set<HealthPart>();

  add(part: HealthPart, ...reasons: readonly string[]): void {
    this.reasons.push(...reasons);
    if (reasons.length > 0) this.#concerned.add(part);
  }

  addNotChecked(part: HealthPart, about: string, { why, wasWrong }: NotChecked): void {
    this.reasons.push(`${about}: ${why}`);
    (wasWrong ? this.#concerned : this.#unknown).add(part);
  }

  /** @param problemIn the problem of a value; null: none */
  take<T>(part: HealthPart, about: string, result: ProbeResult<T>, problemIn: (value: T) => string | null): void {
    const problem = result.checked ? problemIn(result.value) : null;
    if (!result.checked) this.addNotChecked(part, about, result);
    else if (problem !== null) this.add(part, `${about}: ${problem}`);
  }

  verdict(status: HealthVerdict['status']): HealthVerdict {
    const parts = Object.fromEntries(healthParts.map((part) => [part, this.#isOk(part)]));
    return { status, parts: parts as HealthVerdict['parts'] };
  }

  #isOk(part: HealthPart): boolean | null {
    if (this.#concerned.has(part)) return false;
    return this.#unknown.has(part) ? null : true;
  }
}

export const healthParts = [
  'database',
  'map_file',
  'master_socket',
  'workers',
  'runtime_map',
  'reload',
  'proxy',
  'certificates',
  'version',
] as const;
export type HealthPart = (typeof healthParts)[number];

export const healthStatuses = ['ok', 'degraded', 'down'] as const;

export interface HealthVerdict {
  readonly status: (typeof healthStatuses)[number];
  /** True: ok; null: not checked in time. */
  readonly parts: Readonly<Record<HealthPart, boolean | null>>;
}

import type { Missed, Seen } from './look.ts';

// What a probe found, and which part of the whole it concerns.

export class HealthFindings {
  readonly reasons: string[] = [];
  readonly #concerned = new Set<HealthPart>();
  readonly #missed = new Set<HealthPart>();

  add(part: HealthPart, ...reasons: readonly string[]): void {
    this.reasons.push(...reasons);
    if (reasons.length > 0) this.#concerned.add(part);
  }

  /** It was not looked at: not well, and not wrong unless it was. */
  miss(part: HealthPart, about: string, { why, wasWrong }: Missed): void {
    this.reasons.push(`${about}: ${why}`);
    (wasWrong ? this.#concerned : this.#missed).add(part);
  }

  /** @param problemIn what is wrong in what was seen; null: nothing */
  take<T>(part: HealthPart, about: string, look: Seen<T>, problemIn: (value: T) => string | null): void {
    const problem = look.seen ? problemIn(look.value) : null;
    if (!look.seen) this.miss(part, about, look);
    else if (problem !== null) this.add(part, `${about}: ${problem}`);
  }

  verdict(status: HealthVerdict['status']): HealthVerdict {
    const parts = Object.fromEntries(healthParts.map((part) => [part, this.#isWell(part)]));
    return { status, parts: parts as HealthVerdict['parts'] };
  }

  #isWell(part: HealthPart): boolean | null {
    if (this.#concerned.has(part)) return false;
    return this.#missed.has(part) ? null : true;
  }
}

// The verdict of `/health`, part by part, so that an alert can say which.
export const healthParts = [
  'database',
  'map_file',
  'master_socket',
  'workers',
  'runtime_map',
  'reload',
  'proxy',
  'version',
] as const;
export type HealthPart = (typeof healthParts)[number];

export const healthStatuses = ['ok', 'degraded', 'down'] as const;

export interface HealthVerdict {
  readonly status: (typeof healthStatuses)[number];
  /** Whether it is well; null: it could not be looked at in time. */
  readonly parts: Readonly<Record<HealthPart, boolean | null>>;
}

import { mostMegabytes, rowBounds, type Sizes } from './sizes.ts';

/** One minute. */
export interface Minute {
  readonly sizes: Sizes;
  /** Megabytes of the service. */
  readonly memory: number;
  /** Requests of blocked clients so far: sent, and answered with 403. */
  readonly sent: number;
  readonly denied: number;
  /** Requests of blocked clients that a site answered. */
  readonly letIn: number;
  readonly entries: number;
}

/** Of the service with full tables, above that of its first minutes. */
const mostMemoryGrowth = 40;

/** Of the answered requests: what a reload, or the end of HAProxy with an earlier run, may have lost. */
const leastStored = 0.99;

/**
 * What is wrong.
 * @param before the minutes before, oldest first
 * @param baseline megabytes of the service in its first minutes; null: not known yet
 */
export function judge(minute: Minute, before: readonly Minute[], baseline: number | null): string[] {
  const { sizes, memory, sent, letIn, entries } = minute;
  const wrong: string[] = [];
  for (const [table, bound] of Object.entries({ ...rowBounds, entry_hits: entries }))
    if (sizes.rows[table]! > bound) wrong.push(`${table} has ${sizes.rows[table]} rows, at most ${bound} are allowed`);
  if (sizes.megabytes > mostMegabytes) wrong.push(`the tables have ${sizes.megabytes.toFixed(1)} MB`);
  if (baseline !== null && memory > baseline + mostMemoryGrowth)
    wrong.push(`the service has ${memory.toFixed(0)} MB, ${(memory - baseline).toFixed(0)} more than at first`);
  if (letIn > 0) wrong.push(`${letIn} requests of blocked clients were not denied`);
  if (sizes.denied > sent) wrong.push(`${sizes.denied} denied requests are stored, but ${sent} were sent`);
  // Read every ten seconds and stored once a minute: two minutes are enough.
  const earlier = (before.at(-2)?.denied ?? 0) * leastStored;
  if (sizes.denied < earlier)
    wrong.push(`${sizes.denied} denied requests are stored; two minutes ago ${earlier} were answered`);
  if (sizes.denied < (before.at(-1)?.sizes.denied ?? 0)) wrong.push('the sum of denied requests fell');
  return wrong;
}

import { counted } from '../../../src/domain/counted.ts';
import type { FrontEnd, Health } from '../api/types.ts';
import type { Tone } from '../parts/state-mark.tsx';

/** Age in milliseconds after which an answer is stale. */
const staleAfterMs = 7_000;

export function isStale(age: number | null, reachable: boolean): boolean {
  return age !== null && (!reachable || age > staleAfterMs);
}

/**
 * The verdict on blocking. Green only for a fresh answer while the service responds.
 *
 * @param age milliseconds since the answer; null: none yet
 * @param reachable whether the last request of the page was answered
 */
export function enforcement(
  health: Health | undefined,
  age: number | null,
  reachable: boolean,
): { readonly tone: Tone; readonly words: string } {
  if (health === undefined || age === null) return { tone: 'unknown', words: 'Checking…' };
  if (isStale(age, reachable)) return { tone: 'unknown', words: 'Unknown: the service does not respond' };
  if (health.status === 'ok') return { tone: 'good', words: 'Blocking is active' };
  if (health.status === 'down') return { tone: 'bad', words: downWords(health) };
  const unprotected = unprotectedFrontEnds(health);
  if (unprotected.length > 0) return { tone: 'bad', words: notBlockedIn(health, unprotected.length) };
  if (onlyCertificates(health.reasons)) return { tone: 'warn', words: certificatesFail };
  return { tone: 'warn', words: 'Blocking may be incomplete' };
}

/** Blocks are enforced whatever is served over TLS. */
export function onlyCertificates(reasons: readonly string[]): boolean {
  return reasons.length > 0 && reasons.every(isAboutCertificate);
}

export function isAboutCertificate(reason: string): boolean {
  return reason.startsWith('certificates: ');
}

/** Attached: front ends that lack the rule and are not exempt, so that blocked addresses are served there. */
export function unprotectedFrontEnds({ attached, reasons }: Pick<Health, 'attached' | 'reasons'>): readonly FrontEnd[] {
  // Without such a reason it is not known whether HAProxy has loaded the files in which they lack the rule.
  if (attached == null || !reasons.some(isAboutFrontEnd)) return [];
  return attached.front_ends.filter(({ has_rule, open }) => !has_rule && !open);
}

export function isAboutFrontEnd(reason: string): boolean {
  return reason.startsWith('front end ');
}

/** Exempt front ends do not count. */
export function notBlockedIn({ attached }: Pick<Health, 'attached'>, unprotected: number): string {
  const all = attached?.front_ends.filter(({ has_rule, open }) => has_rule || !open).length ?? unprotected;
  return `Not blocked in ${unprotected} of ${counted(all, 'front end')}`;
}

export const certificatesFail = 'Blocking is active, but a certificate needs attention';
export const databaseDown = 'Database down: nothing can be changed';
export const proxyDown = 'HAProxy is down';

/** Without a usable database, HAProxy still serves sites and denies blocked addresses. */
function downWords({ database, workers }: Health): string {
  if (database.status !== 'down') return proxyDown;
  return workers.current === null ? 'Database down, and no HAProxy worker found' : databaseDown;
}

// Decisions as `cscli decisions list -o raw` prints them: CSV with the columns
// `id,source,ip,reason,action,country,as,events_count,expiration,simulated,alert_id`. Its `ip` is `Ip:192.0.2.1` or
// `Range:192.0.2.0/24`, its `expiration` the remaining time, such as `3h59m50.4s` (Go's `time.Duration`).
import { quote } from '../domain/quote.ts';
import type { ExpiryReading } from './fields.ts';

const secondsPerUnit: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};
const duration = /^(-?)((?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s|us|µs|ns))+)$/;

export function isDecisions(names: readonly string[]): boolean {
  return names.includes('ip') && names.includes('action') && names.includes('expiration');
}

/** One record by its column names. */
interface Decision {
  readonly ip: string;
  readonly action: string;
  readonly simulated: string;
}

/** Why a decision is not a block; null: it is. */
export function decisionProblem({ ip, action, simulated }: Decision): string | null {
  const type = action.toLowerCase();
  if (type !== 'ban') return `has the type ${quote(action)}; only ban is a block`;
  if (simulated.toLowerCase() === 'true') return 'is a simulated decision, which CrowdSec does not enforce';
  const scope = /^([^:]*):/.exec(ip)?.[1] ?? '';
  if (/^[a-z]+$/i.test(scope) && !/^(ip|range|[0-9a-f]{1,4})$/i.test(scope)) {
    return `has the scope ${quote(scope)}; only Ip and Range are addresses`;
  }
  return null;
}

/** `Ip:192.0.2.1` without its scope. */
export function addressOf(ip: string): string {
  return ip.replace(/^(ip|range):/i, '');
}

/** The remaining time, rounded up to a second; expired decisions are skipped. */
export function readRemaining(text: string): ExpiryReading {
  const match = duration.exec(text);
  if (match === null) return { ok: false, why: `the expiration ${quote(text)} is not a duration such as 7h59m18s` };
  let seconds = 0;
  for (const [, number, unit] of match[2]!.matchAll(/([0-9.]+)([a-zµ]+)/g))
    seconds += Number(number) * secondsPerUnit[unit!]!;
  if (match[1] === '-' || seconds <= 0) return { ok: false, why: `has expired (${text})` };
  return { ok: true, expiry: { seconds: Math.ceil(seconds) } };
}

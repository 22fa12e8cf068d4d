// What is checked before a block, each with its answer in words. Only a block without a finding is one click.
import { parseIp } from '../../../../src/domain/ip.ts';
import type { CheckAnswer, TrustedIp } from '../../api/types.ts';
import { cdnWarnings, exceptionsIn, trustedEntries, warningsFor } from '../blocked/block/warnings.ts';

interface Check {
  readonly name: string;
  readonly words: string;
  /** Null: not known yet. */
  readonly passed: boolean | null;
}

export interface CheckContext {
  /** Null: not known yet. */
  readonly trusted: readonly TrustedIp[] | null;
  readonly verdict: CheckAnswer | null;
  readonly clientAddress: string | null;
}

export function checksFor(ip: string, { trusted, verdict, clientAddress }: CheckContext): readonly Check[] {
  const parse = parseIp(ip);
  if (!parse.ok) return [{ name: 'Address', words: parse.why, passed: false }];
  const items = trusted ?? [];
  const warnings = warningsFor(parse.entry, {
    trusted: trustedEntries(items),
    exceptions: exceptionsIn(items),
    clientAddress,
  });
  const has = (...kinds: readonly string[]): string | null =>
    warnings.find(({ kind }) => kinds.includes(kind))?.words ?? null;
  const check = (name: string, finding: string | null, known: boolean, none = 'no'): Check => ({
    name,
    words: known ? (finding ?? none) : 'checking…',
    passed: known ? finding === null : null,
  });
  const upstream = verdict?.upstream ?? null;
  const [cdn] = cdnWarnings(parse.entry);
  const behind = upstream === null ? (cdn?.words ?? null) : `It belongs to the upstream ${upstream}.`;
  const covered = verdict?.verdict === 'blocked' ? `Already blocked by ${verdict.by ?? 'an entry'}.` : null;
  return [
    check('Trusted', has('trusted', 'ends-trust', 'trusted-inside'), trusted !== null),
    check('Known CDN or upstream', behind, verdict !== null),
    check('Your own address', has('own-address'), true, clientAddress === null ? 'not known to the service' : 'no'),
    check('Blocked already', covered, verdict !== null),
    check('Very large', has('large'), true),
  ];
}

export function allPassed(checks: readonly Check[]): boolean {
  return checks.every(({ passed }) => passed === true);
}

// Messages for removals and their Undo. Only what the response confirms is reported as done.
import { count, counted } from '../../../../src/domain/counted.ts';
import type { BlockedIp, BulkAnswer, Claim, RuntimeReport, UnblockAnswer, UndoAnswer } from '../../api/types.ts';
import { sentence } from '../../parts/problem-alert.tsx';
import { claimsOf, sourceNames, unblockEffect } from '../../parts/source-words.ts';
import type { Tone } from '../../parts/state-mark.tsx';
import { momentText } from '../../parts/times.ts';
import { runtimeWords } from './runtime-words.ts';

interface Message {
  readonly title: string;
  readonly tone: Tone;
  readonly words: string;
}

export function unblockWords(answer: UnblockAnswer): Message {
  const { ip_address: ip, still_blocked_by: still, still_claimed_by: claims = [], trusted } = answer;
  if (trusted !== undefined) {
    const until = trusted.expires_at === null ? '' : ` until ${momentText(trusted.expires_at)}`;
    const { tone, words } = runtimeWords(answer);
    return { title: `${ip} is trusted${until}`, tone, words: `${claimedWords(claims)}${words}` };
  }
  if (claims.length > 0) {
    const words = `${claimedWords(claims).trim()}${unverified(answer)}`;
    return { title: `${ip} is still blocked`, tone: 'warn', words };
  }
  if (still.length === 0) return { title: `${ip} is no longer blocked`, ...removedEverywhere(answer) };
  return {
    title: `${ip} is still blocked`,
    tone: 'warn',
    words: `Entry removed. Still blocked by ${still.join(', ')}.${unverified(answer)}`,
  };
}

/** Of the undo of an unblock. */
export function undoneWords(ip: string, answer: UndoAnswer): Message {
  const restored = answer.first.filter(({ action }) => action !== 'drop').map(({ source }) => source);
  if (restored.length === 0) return { title: 'Nothing to restore: these claims have ended', tone: 'warn', words: '' };
  const claims = restored.length === 1 ? 'Claim' : 'Claims';
  const { tone, words } = runtimeWords(answer);
  const [trusted] = answer.still_trusted ?? [];
  const allowed = trusted === undefined ? '' : ` It stays allowed: ${trusted.by} is trusted.`;
  return {
    title: `${claims} of ${restored.join(', ')} to ${ip} restored`,
    tone: trusted === undefined ? tone : 'warn',
    words: `${words}${allowed}`,
  };
}

function claimedWords(claims: readonly Claim[]): string {
  return claims.length === 0 ? '' : `Still claimed by ${sourceNames(claims)}. `;
}

/**
 * The entries that lost a claim, removed or still blocked by other sources; null: the response only has their number.
 * @param boundTo the source of the session's key; null: none
 */
export function droppedOf(
  entries: readonly BlockedIp[],
  answer: BulkAnswer,
  boundTo: string | null,
): readonly BlockedIp[] | null {
  const total = answer.removed + (answer.still_claimed_total ?? 0);
  if (total === entries.length) return entries;
  const others = withoutEntry(answer);
  const dropped = entries.filter(
    (entry) => !others.has(entry.ip_address) && unblockEffect(claimsOf(entry), boundTo).dropped.length > 0,
  );
  return dropped.length === total ? dropped : null;
}

/** @param boundTo the source of the session's key; null: none */
export function bulkRemovalWords(entries: readonly BlockedIp[], answer: BulkAnswer, boundTo: string | null): Message {
  const { removed, still_claimed_total: stays = 0 } = answer;
  const { tone, words } = stillBlocked(answer) ?? removedEverywhere(answer);
  if (removed === entries.length) return { title: `${entriesOf(removed)} unblocked`, tone, words };
  const left = entries.length - removed;
  const others =
    droppedOf(entries, answer, boundTo) === null
      ? `${count(left)} ${stays > 0 ? 'had no entry or are still blocked by other sources' : 'had no entry'}. The response does not say which, so there is no Undo.`
      : leftWords(entries, answer, boundTo);
  const result = removed > 0 ? ` ${words}` : stays > 0 ? ` ${runtimeWords(answer).words}` : '';
  return {
    title: removed === 0 ? 'No entry unblocked' : `${count(removed)} of ${entriesOf(entries.length)} unblocked`,
    tone: 'warn',
    words: `${others}${result}`,
  };
}

/** The claims of other sources are those that were shown, so the response may count more or fewer addresses. */
function leftWords(entries: readonly BlockedIp[], answer: BulkAnswer, boundTo: string | null): string {
  const none = withoutEntry(answer);
  const before = entries.filter(({ ip_address: ip }) => none.has(ip));
  const claimed = entries.length - answer.removed - before.length;
  const others = entries.filter(
    (entry) => !none.has(entry.ip_address) && unblockEffect(claimsOf(entry), boundTo).kept.length > 0,
  );
  const which = others.length === claimed ? listed(others) : addressesOf(claimed);
  return [
    ...(claimed > 0 ? [`Still blocked by other sources: ${which}.`] : []),
    ...(before.length > 0 ? [`Not blocked before: ${listed(before)}.`] : []),
  ].join(' ');
}

function withoutEntry({ not_blocked: none = [], rejected }: BulkAnswer): ReadonlySet<string> {
  return new Set([...none, ...rejected.map(({ value }) => value)]);
}

function stillBlocked(answer: BulkAnswer) {
  const by = networksOf(answer);
  if (by === null) return null;
  const { total, which, names } = by;
  const words = `${which} ${total === 1 ? 'is' : 'are'} still blocked by ${names}.${unverified(answer)}`;
  return { tone: 'warn' as const, words };
}

/** Of a dry run; null: no network covers them. */
export function coveringWords(answer: BulkAnswer): string | null {
  const by = networksOf(answer);
  return by === null ? null : `${by.which} ${by.total === 1 ? 'stays' : 'stay'} blocked by ${by.names}.`;
}

/** The networks that keep removed addresses blocked; null: there are none. */
function networksOf({ still_blocked: some = [], still_blocked_total: total = 0 }: BulkAnswer) {
  const [first] = some;
  if (total === 0 || first === undefined) return null;
  const by = [...new Set(some.map((one) => one.by))];
  const names = `${by.slice(0, 3).join(', ')}${by.length > 3 || some.length < total ? ' and others' : ''}`;
  return { total, which: total === 1 ? first.ip_address : addressesOf(total), names };
}

/** @param sent number of restored entries; the others have expired. @param answer null: none was sent */
export function blockedAgainWords(entries: readonly BlockedIp[], sent: number, answer: BulkAnswer | null): Message {
  const left = entries.length - sent + (answer?.rejected_total ?? 0);
  const { tone, words } = answer === null ? { tone: 'good' as const, words: '' } : runtimeWords(answer);
  if (left === 0) return { title: `${named(entries)} blocked again`, tone, words };
  const why = answer?.rejected[0]?.why ?? 'Blocks that have expired are not restored.';
  return {
    title: `${left === entries.length ? '' : `${count(left)} of `}${named(entries)} not blocked again`,
    tone: 'warn',
    words: tone === 'good' ? sentence(why) : `${sentence(why)} ${words}`,
  };
}

export function named(entries: readonly BlockedIp[]): string {
  const [first] = entries;
  return entries.length === 1 && first !== undefined ? first.ip_address : addressesOf(entries.length);
}

function listed(entries: readonly BlockedIp[]): string {
  const names = entries.map(({ ip_address: ip }) => ip);
  const more = names.length - 3;
  return `${names.slice(0, 3).join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`;
}

function entriesOf(amount: number): string {
  return counted(amount, 'entry', 'entries');
}

function addressesOf(amount: number): string {
  return counted(amount, 'address', 'addresses');
}

/** Does not say whether a blocked network still covers an address. */
export function removedEverywhere(report: RuntimeReport): Pick<Message, 'tone' | 'words'> {
  const { tone, words } = runtimeWords(report);
  return {
    tone,
    words: tone === 'good' ? 'Removed from every worker.' : words,
  };
}

/** Follows another sentence. */
function unverified(report: RuntimeReport): string {
  return report.runtime_map_updated ? '' : ` ${runtimeWords(report).words}`;
}

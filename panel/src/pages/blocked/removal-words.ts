// Messages for removals and their Undo. Only what the response confirms is reported as done.
import type { BlockedIp, BulkAnswer, Claim, RuntimeReport, UnblockAnswer } from '../../api/types.ts';
import { momentText } from '../../parts/age.tsx';
import { sentence } from '../../parts/problem-alert.tsx';
import { sourceNames } from '../../parts/source-words.ts';
import type { Tone } from '../../parts/state-mark.tsx';
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
  if (claims.length > 0) return { title: `${ip} is still blocked`, tone: 'warn', words: claimedWords(claims).trim() };
  if (still.length === 0) return { title: `${ip} is no longer blocked`, ...removedEverywhere(answer) };
  return {
    title: `${ip} is still blocked`,
    tone: 'warn',
    words: `Entry removed. Still blocked by ${still.join(', ')}.`,
  };
}

function claimedWords(claims: readonly Claim[]): string {
  return claims.length === 0 ? '' : `Still claimed by ${sourceNames(claims)}. `;
}

/** The entries that were removed; null: the response only has their number. */
export function removedOf(entries: readonly BlockedIp[], answer: BulkAnswer): readonly BlockedIp[] | null {
  if (answer.removed === entries.length) return entries;
  const others = new Set([...(answer.not_blocked ?? []), ...answer.rejected.map(({ value }) => value)]);
  const removed = entries.filter(({ ip_address: ip }) => !others.has(ip));
  return removed.length === answer.removed ? removed : null;
}

export function bulkRemovalWords(entries: readonly BlockedIp[], answer: BulkAnswer): Message {
  const { removed } = answer;
  const { tone, words } = stillBlocked(answer) ?? removedEverywhere(answer);
  if (removed === entries.length) return { title: `${entriesOf(removed)} removed`, tone, words };
  const known = removedOf(entries, answer);
  const left = entries.length - removed;
  const others =
    known === null
      ? `${left.toLocaleString()} had no entry. The response does not say which, so there is no Undo.`
      : `${anyClaimed(entries, known, answer) ? 'Still blocked by other sources, or not blocked before' : 'Not blocked before'}: ${listed(entries, known)}.`;
  return {
    title: removed === 0 ? 'No entry removed' : `${removed.toLocaleString()} of ${entriesOf(entries.length)} removed`,
    tone: 'warn',
    words: removed === 0 ? others : `${others} ${words}`,
  };
}

/** Claims of lists, which no unblock drops, are in no count of the response. */
function anyClaimed(
  entries: readonly BlockedIp[],
  removed: readonly BlockedIp[],
  { still_claimed_total: total = 0 }: BulkAnswer,
): boolean {
  return total > 0 || entries.some((entry) => entry.claims !== undefined && !removed.includes(entry));
}

function stillBlocked({ still_blocked: some = [], still_blocked_total: total = 0 }: BulkAnswer) {
  const [first] = some;
  if (total === 0 || first === undefined) return null;
  const by = [...new Set(some.map((one) => one.by))];
  const names = `${by.slice(0, 3).join(', ')}${by.length > 3 || some.length < total ? ' and others' : ''}`;
  const which = total === 1 ? `${first.ip_address} is` : `${counted(total)} are`;
  return { tone: 'warn' as const, words: `${which} still blocked by ${names}.` };
}

/** @param sent number of restored entries; the others have expired. @param answer null: none was sent */
export function blockedAgainWords(entries: readonly BlockedIp[], sent: number, answer: BulkAnswer | null): Message {
  const left = entries.length - sent + (answer?.rejected_total ?? 0);
  const { tone, words } = answer === null ? { tone: 'good' as const, words: '' } : runtimeWords(answer);
  if (left === 0) return { title: `${named(entries)} blocked again`, tone, words };
  const why = answer?.rejected[0]?.why ?? 'Blocks that have expired are not restored.';
  return {
    title: `${left === entries.length ? '' : `${left.toLocaleString()} of `}${named(entries)} not blocked again`,
    tone: 'warn',
    words: tone === 'good' ? sentence(why) : `${sentence(why)} ${words}`,
  };
}

export function named(entries: readonly BlockedIp[]): string {
  const [first] = entries;
  return entries.length === 1 && first !== undefined ? first.ip_address : counted(entries.length);
}

function listed(entries: readonly BlockedIp[], but: readonly BlockedIp[]): string {
  const left = new Set(but);
  const names = entries.filter((entry) => !left.has(entry)).map(({ ip_address: ip }) => ip);
  const more = names.length - 3;
  return `${names.slice(0, 3).join(', ')}${more > 0 ? ` and ${more.toLocaleString()} more` : ''}`;
}

function entriesOf(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'entry' : 'entries'}`;
}

function counted(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'address' : 'addresses'}`;
}

function removedEverywhere(report: RuntimeReport): Pick<Message, 'tone' | 'words'> {
  const { tone, words } = runtimeWords(report);
  return {
    tone,
    words: tone === 'good' ? 'Removed from every worker.' : words,
  };
}

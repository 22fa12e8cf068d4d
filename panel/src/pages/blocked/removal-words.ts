// What became of a removal, and of taking it back: only what the answer says is told as done.
import type { BlockedIp, BulkAnswer, RuntimeReport, UnblockAnswer } from '../../api/types.ts';
import { sentence } from '../../parts/problem-alert.tsx';
import type { Tone } from '../../parts/state-mark.tsx';
import { runtimeWords } from './runtime-words.ts';

interface Told {
  readonly title: string;
  readonly tone: Tone;
  readonly words: string;
}

export function unblockWords(answer: UnblockAnswer): Told {
  const { ip_address: ip, still_blocked_by: still } = answer;
  if (still.length === 0) return { title: `${ip} no longer blocked`, ...letGo(answer) };
  return {
    title: `${ip} is still blocked`,
    tone: 'warn',
    words: `Its own entry is gone, but ${still.join(', ')} covers it.`,
  };
}

/** Which of the entries a removal has removed, as far as its answer says so; null: it only counts them. */
export function removedOf(entries: readonly BlockedIp[], answer: BulkAnswer): readonly BlockedIp[] | null {
  if (answer.removed === entries.length) return entries;
  const others = new Set([...(answer.not_blocked ?? []), ...answer.rejected.map(({ value }) => value)]);
  const removed = entries.filter(({ ip_address: ip }) => !others.has(ip));
  return removed.length === answer.removed ? removed : null;
}

export function bulkRemovalWords(entries: readonly BlockedIp[], answer: BulkAnswer): Told {
  const { removed } = answer;
  const { tone, words } = stillBlocked(answer) ?? letGo(answer, removed);
  if (removed === entries.length) return { title: `${entriesOf(removed)} removed`, tone, words };
  const known = removedOf(entries, answer);
  const left = entries.length - removed;
  const others =
    known === null
      ? `The other ${left === 1 ? 'one' : left.toLocaleString()} had no entry any more. Which were removed is not known, so it cannot be taken back here.`
      : `${listed(entries, known)} had no entry any more.`;
  return {
    title: removed === 0 ? 'No entry removed' : `${removed.toLocaleString()} of ${entriesOf(entries.length)} removed`,
    tone: 'warn',
    words: removed === 0 ? others : `${others} ${words}`,
  };
}

/** What blocks them all the same; null: nothing does, as far as the answer says. */
function stillBlocked({ still_blocked: some = [], still_blocked_total: total = 0 }: BulkAnswer) {
  const [first] = some;
  if (total === 0 || first === undefined) return null;
  const by = [...new Set(some.map((one) => one.by))];
  const names = `${by.slice(0, 3).join(', ')}${by.length > 3 || some.length < total ? ' and others' : ''}`;
  const which = total === 1 ? `${first.ip_address} is` : `${counted(total)} are`;
  return { tone: 'warn' as const, words: `${which} still blocked, by ${names}.` };
}

/** `sent`: how many of the entries were sent; the others would have ended meanwhile. `answer` is null: none was. */
export function blockedAgainWords(entries: readonly BlockedIp[], sent: number, answer: BulkAnswer | null): Told {
  const left = entries.length - sent + (answer?.rejected_total ?? 0);
  const { tone, words } = answer === null ? { tone: 'good' as const, words: '' } : runtimeWords(answer);
  if (left === 0) return { title: `${named(entries)} blocked again`, tone, words };
  const why = answer?.rejected[0]?.why ?? 'What would have ended by itself meanwhile is not blocked again.';
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

/** The others by name, the first three of them. */
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

function letGo(report: RuntimeReport, count = 1): Pick<Told, 'tone' | 'words'> {
  const { tone, words } = runtimeWords(report);
  return {
    tone,
    words: tone === 'good' ? `Every worker of the proxy has let go of ${count === 1 ? 'it' : 'them'}.` : words,
  };
}

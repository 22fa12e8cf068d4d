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

/** `asked`: how many were to be removed. */
export function bulkRemovalWords(asked: number, answer: BulkAnswer): Told {
  const title = `${counted(answer.removed)} no longer blocked`;
  const { tone, words } = letGo(answer);
  if (answer.removed >= asked) return { title, tone, words };
  return { title, tone: 'warn', words: `The others had no entry any more. ${words}` };
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

function counted(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'address' : 'addresses'}`;
}

function letGo(report: RuntimeReport): Pick<Told, 'tone' | 'words'> {
  const { tone, words } = runtimeWords(report);
  return { tone, words: tone === 'good' ? 'Every worker of the proxy has let go of it.' : words };
}

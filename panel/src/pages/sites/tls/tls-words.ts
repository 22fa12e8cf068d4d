// What a site does with https, in words.
import type { SiteTls, SiteTlsAnswer } from '../../../api/types.ts';
import { sentence } from '../../../parts/problem-alert.tsx';
import type { Tone } from '../../../parts/state-mark.tsx';

type Hsts = NonNullable<SiteTls['hsts']>;

const units = [
  [31_536_000, 'year'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `1 year`, `90 minutes`: in the largest unit of which it is a whole number. */
export function timeWords(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds % size === 0 && seconds >= size) ?? [1, 'second'];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** What is wanted, as parts of a sentence; none if it is nothing. */
export function wishes({ redirect, hsts }: Pick<SiteTls, 'redirect' | 'hsts'>): readonly string[] {
  return [...(redirect === 'auto' ? ['redirect to https'] : []), ...(hsts === null ? [] : [hstsWords(hsts)])];
}

function hstsWords({ max_age: maxAge, include_subdomains: subdomains, preload }: Hsts): string {
  if (maxAge === 0) return 'browsers forget HSTS';
  return `HSTS for ${timeWords(maxAge)}${subdomains ? ' with subdomains' : ''}${preload ? ' and preload' : ''}`;
}

/** What is in force of it, or why it is not; null: nothing is wanted. */
export function tlsWords(tls: Pick<SiteTls, 'redirect' | 'hsts' | 'in_force' | 'reason'>): {
  readonly tone: Tone;
  readonly words: string;
} | null {
  const wanted = wishes(tls).join(', ');
  if (wanted === '') return null;
  if (tls.in_force) return { tone: 'good', words: `In force: ${wanted}` };
  return { tone: 'warn', words: `Not in force: ${wanted} (${tls.reason ?? 'the reason is not known'})` };
}

/** The result of saving them. */
export function savedTlsWords(answer: SiteTlsAnswer): {
  readonly title: string;
  readonly words: string;
  readonly tone: Tone;
} {
  const title = `TLS settings of ${answer.domain} saved`;
  if (!answer.runtime_updated) return { title, words: sentence(`Not verified: ${answer.reason ?? ''}`), tone: 'warn' };
  const { tone, words } = tlsWords(answer) ?? { tone: 'good', words: 'Plain HTTP is answered, and HSTS is not sent' };
  return { title, words: `${words}.`, tone };
}

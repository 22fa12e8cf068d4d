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

/** What is wanted, one sentence each; none if it is nothing. */
export function wishWords({ redirect, hsts }: Pick<SiteTls, 'redirect' | 'hsts'>): readonly string[] {
  return [
    ...(redirect === 'auto' ? ['Plain HTTP is redirected to https.'] : []),
    ...(hsts === null ? [] : [hstsWords(hsts)]),
  ];
}

function hstsWords({ max_age: maxAge, include_subdomains: subdomains, preload }: Hsts): string {
  if (maxAge === 0) return 'HSTS: browsers forget it.';
  return `HSTS for ${timeWords(maxAge)}${subdomains ? ', with subdomains' : ''}${preload ? ', preload' : ''}.`;
}

/** Null: it is in force, or nothing is wanted. */
export function obstacleWords(tls: Pick<SiteTls, 'redirect' | 'hsts' | 'in_force' | 'reason'>): string | null {
  if (tls.in_force || wishWords(tls).length === 0) return null;
  return sentence(`Not in force: ${tls.reason ?? 'the reason is not known'}`);
}

/** The result of saving them. */
export function savedTlsWords(answer: SiteTlsAnswer): {
  readonly title: string;
  readonly words: string;
  readonly tone: Tone;
} {
  const wishes = wishWords(answer);
  const words = wishes.length === 0 ? 'Plain HTTP is answered, and HSTS is not sent.' : wishes.join(' ');
  const obstacle = obstacleWords(answer);
  const title = `TLS settings of ${answer.domain} saved`;
  if (obstacle !== null) return { title, words: `${words} ${obstacle}`, tone: 'warn' };
  if (!answer.runtime_updated) return { title, words: sentence(`Not verified: ${answer.reason ?? ''}`), tone: 'warn' };
  return { title, words, tone: 'good' };
}

import type { Certificate } from '../../../api/types.ts';
import { endText } from '../../../parts/age.tsx';
import type { Tone } from '../../../parts/state-mark.tsx';
import { notServedWords, servedWords } from '../../certificates/certificate-words.ts';

/** @param certificate null: none is for this site. @param now of the service, in milliseconds */
export function lockWords(
  certificate: Certificate | null,
  now: number,
): { readonly tone: Tone; readonly words: string } {
  if (certificate === null) return { tone: 'warn', words: 'No certificate of its own' };
  const fault = notServedWords(certificate);
  if (fault !== null) return { tone: fault.tone, words: `Certificate: ${fault.words.toLowerCase()}` };
  const { tone } = servedWords(certificate, now);
  return { tone, words: `Certificate served, expires ${endText(Date.parse(certificate.not_after), now)}` };
}

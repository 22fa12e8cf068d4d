import type { Certificate } from '../../../api/types.ts';
import { endText } from '../../../parts/age.tsx';
import type { Tone } from '../../../parts/state-mark.tsx';
import { servedWords } from '../../certificates/certificate-words.ts';

/** @param certificate null: none is for this site. @param now of the service, in milliseconds */
export function lockWords(
  certificate: Certificate | null,
  now: number,
): { readonly tone: Tone; readonly words: string } {
  if (certificate === null) return { tone: 'warn', words: 'No certificate of its own' };
  const { tone, words } = servedWords(certificate, now);
  const served = certificate.served_until;
  if (tone !== 'good' || served === null) return { tone, words: `Certificate: ${words.toLowerCase()}` };
  return { tone, words: `Certificate served, expires ${endText(Date.parse(served), now)}` };
}

import type { BlockAnswer } from '../../../api/types.ts';
import type { Tone } from '../../../parts/state-mark.tsx';
import { runtimeWords } from '../runtime-words.ts';

/** What became of a block: one that trust covers is stored, but turns nobody away. */
export function blockWords(answer: BlockAnswer): {
  readonly title: string;
  readonly tone: Tone;
  readonly words: string;
} {
  const { ip_address: ip, overridden_by: over = [] } = answer;
  if (over.length === 0) return { title: `${ip} is blocked`, ...runtimeWords(answer) };
  return {
    title: `${ip} is stored, and let in all the same`,
    tone: 'warn',
    words: `Trust wins: ${over.join(', ')} ${over.length === 1 ? 'covers' : 'cover'} it.`,
  };
}

import type { BlockAnswer } from '../../../api/types.ts';
import type { Tone } from '../../../parts/state-mark.tsx';
import { runtimeWords } from '../runtime-words.ts';

/** The result of a block. A block of a trusted address is stored without effect. */
export function blockWords(answer: BlockAnswer): {
  readonly title: string;
  readonly tone: Tone;
  readonly words: string;
} {
  const { ip_address: ip, overridden_by: over = [], trust_ended: ended = [] } = answer;
  if (over.length === 0) {
    const { tone, words } = runtimeWords(answer);
    return {
      title: `${ip} is blocked`,
      tone,
      words: ended.length === 0 ? words : `Its temporary trust has ended. ${words}`,
    };
  }
  return {
    title: `${ip} is saved, but not blocked`,
    tone: 'warn',
    words: `It is covered by trusted ${over.join(', ')}.`,
  };
}

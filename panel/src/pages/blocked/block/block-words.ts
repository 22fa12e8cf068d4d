import type { BlockAnswer } from '../../../api/types.ts';
import { presetLabels } from '../../../parts/preset-labels.ts';
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
    const notices = noticesOf(answer);
    const all = [...(ended.length === 0 ? [] : ['Its temporary trust has ended.']), words, ...notices];
    return {
      title: `${ip} is blocked`,
      tone: notices.length > 0 ? 'warn' : tone,
      words: all.join(' '),
    };
  }
  return {
    title: `${ip} is saved, but not blocked`,
    tone: 'warn',
    words: `It is covered by trusted ${over.join(', ')}.`,
  };
}

/** Whom the block does not deny, or denies unintentionally. */
function noticesOf({ known_cdn: cdn, upstreams_inside: upstreams = [] }: BlockAnswer): string[] {
  const notices: string[] = [];
  if (cdn !== undefined)
    notices.push(
      `It belongs to ${presetLabels[cdn]}: if your sites are behind this CDN, unblock it and add the CDN as an upstream.`,
    );
  if (upstreams.length > 0) notices.push(`Networks of upstreams inside are still served: ${upstreams.join(', ')}.`);
  return notices;
}

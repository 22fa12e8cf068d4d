import { expect, it } from 'vitest';
import type { CheckAnswer } from '../../api/types.ts';
import { enforcedWords, insideWords } from './verdict-words.ts';

const answer = (facts: Partial<CheckAnswer>) =>
  ({ verdict: 'allowed', enforced: true, workers: [{ pid: 1, verdict: 'allowed' }], ...facts }) as CheckAnswer;

it('counts the blocked entries inside a network, and shows nothing green', () => {
  const partly = answer({ verdict: 'partly', enforced: null, workers: [], blocked_inside_total: 1_234 });
  expect(insideWords(partly)).toBe('No entry covers all of it. 1,234 blocked entries are inside.');
  expect(insideWords({ ...partly, blocked_inside_total: 1 })).toMatch(/1 blocked entry is inside/);
  expect(enforcedWords(partly)).toBeNull();
});

it('shows whether HAProxy agrees with any other verdict', () => {
  expect(insideWords(answer({}))).toBeNull();
  expect(enforcedWords(answer({}))?.tone).toBe('good');
  expect(enforcedWords(answer({ enforced: false }))?.tone).toBe('bad');
  expect(enforcedWords(answer({ enforced: null }))?.tone).toBe('unknown');
});

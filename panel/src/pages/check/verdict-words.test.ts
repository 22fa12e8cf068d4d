import { expect, it } from 'vitest';
import type { CheckAnswer } from '../../api/types.ts';
import { enforcedWords, insideWords } from './verdict-words.ts';

const answer = (facts: Partial<CheckAnswer>) =>
  ({ verdict: 'allowed', enforced: true, workers: [{ pid: 1, verdict: 'allowed' }], ...facts }) as CheckAnswer;

it('tells of a network with blocked entries inside how many, and nothing green', () => {
  const partly = answer({ verdict: 'partly', enforced: null, workers: [], blocked_inside_total: 1_234 });
  expect(insideWords(partly)).toBe('No entry covers all of it; 1,234 blocked entries inside.');
  expect(insideWords({ ...partly, blocked_inside_total: 1 })).toMatch(/1 blocked entry inside/);
  expect(enforcedWords(partly)).toBeNull();
});

it('tells what the running proxy says of everything else', () => {
  expect(insideWords(answer({}))).toBeNull();
  expect(enforcedWords(answer({}))?.tone).toBe('good');
  expect(enforcedWords(answer({ enforced: false }))?.tone).toBe('bad');
  expect(enforcedWords(answer({ enforced: null }))?.tone).toBe('unknown');
});

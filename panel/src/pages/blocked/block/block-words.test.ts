import { expect, test } from 'vitest';
import type { BlockAnswer } from '../../../api/types.ts';
import { blockWords } from './block-words.ts';

const answer = { ip_address: '192.0.2.1', runtime_map_updated: true } as BlockAnswer;

test('an address that is blocked is told as blocked', () => {
  expect(blockWords(answer)).toEqual({
    title: '192.0.2.1 is blocked',
    tone: 'good',
    words: 'Every worker of the proxy was seen to have it.',
  });
});

test('a block that trust covers is not told as one', () => {
  expect(blockWords({ ...answer, overridden_by: ['192.0.2.0/24'] })).toEqual({
    title: '192.0.2.1 is stored, and let in all the same',
    tone: 'warn',
    words: 'Trust wins: 192.0.2.0/24 covers it.',
  });
});

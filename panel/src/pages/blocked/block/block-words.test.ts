import { expect, test } from 'vitest';
import type { BlockAnswer } from '../../../api/types.ts';
import { blockWords } from './block-words.ts';

const answer = { ip_address: '192.0.2.1', runtime_map_updated: true } as BlockAnswer;

test('reports a blocked address as blocked', () => {
  expect(blockWords(answer)).toEqual({
    title: '192.0.2.1 is blocked',
    tone: 'good',
    words: 'Active in every worker.',
  });
});

test('reports a block covered by trust as without effect', () => {
  expect(blockWords({ ...answer, overridden_by: ['192.0.2.0/24'] })).toEqual({
    title: '192.0.2.1 is saved, but not blocked',
    tone: 'warn',
    words: 'It is covered by trusted 192.0.2.0/24.',
  });
});

test('warns about a block of a CDN, and of a network around an upstream', () => {
  const cdn = blockWords({ ...answer, known_cdn: 'cloudflare' });
  expect(cdn).toMatchObject({ tone: 'warn', words: expect.stringContaining('It belongs to Cloudflare') });
  const around = blockWords({ ...answer, upstreams_inside: ['10.0.3.0/24'] });
  expect(around).toMatchObject({ tone: 'warn', words: expect.stringContaining('still served: 10.0.3.0/24.') });
});

import { expect, it } from 'vitest';
import { deniedWords } from './denied-words.ts';

const series = { labels: ['shop.example'], values: [[1_200, null, 34]], complete: true };

it('estimates the denied requests of a site, and is silent where they are not known', () => {
  expect(deniedWords(series, 'shop.example')).toBe('About 1,234 denied requests in 24 h');
  expect(deniedWords({ ...series, complete: false }, 'shop.example')).toBe(
    'About 1,234 denied requests in 24 h, part of which was not watched',
  );
  expect(deniedWords(series, 'blog.example')).toBe('No denied requests seen in 24 h');
  expect(deniedWords({ ...series, complete: false }, 'blog.example')).toBeNull();
  expect(deniedWords({ ...series, values: [[null]], complete: false }, 'shop.example')).toBeNull();
  expect(deniedWords(undefined, 'shop.example')).toBeNull();
});

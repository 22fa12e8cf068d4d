import { expect, it } from 'vitest';
import { firstSteps } from './steps.ts';

const known = { sites: 0, entries: 3, lists: undefined, keys: 1, trusted: 1 };

it('shows what is done, what is not, and what is not known', () => {
  expect(firstSteps(known).map(({ to, done }) => [to, done])).toEqual([
    ['/sites', false],
    ['/blocked', true],
    ['/trusted', true],
    // The first key is that of the first start.
    ['/keys', false],
    ['/sources', null],
  ]);
});

it('asks for no site where sites are not managed', () => {
  expect(firstSteps({ ...known, sites: null }).map(({ to }) => to)).not.toContain('/sites');
});

import { expect, test } from 'vitest';
import { frontEndWords } from './front-end-words.ts';

const web = { name: 'web', place: '/h.cfg:3', mode: 'http', has_rule: true, answered_before: null, open: false };

test.each([
  [{}, 'good', 'Denied'],
  [{ answered_before: '/h.cfg:5' }, 'warn', 'Denied, except for what /h.cfg:5 answers before'],
  [{ has_rule: false }, 'bad', 'Served: it has no rule'],
  [{ has_rule: false, answered_before: '/h.cfg:5' }, 'bad', 'Served: /h.cfg:5 comes before its rule'],
  [{ has_rule: false, open: true }, 'unknown', 'Served on purpose: a setting says so'],
  [{ open: true }, 'good', 'Denied'],
] as const)('a front end with %j is %s: %s', (more, tone, words) => {
  expect(frontEndWords({ ...web, ...more })).toEqual({ tone, words });
});

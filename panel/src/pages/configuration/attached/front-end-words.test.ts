import { expect, test } from 'vitest';
import { exemption, frontEndWords } from './front-end-words.ts';

const web = { name: 'web', place: '/h.cfg:3', mode: 'http', has_rule: true, answered_before: null, open: false };

test.each([
  [{}, 'good', 'Denied'],
  [{ answered_before: '/h.cfg:5' }, 'warn', 'Denied, except for what /h.cfg:5 answers first'],
  [{ has_rule: false }, 'bad', 'Served: no rule'],
  [{ has_rule: false, answered_before: '/h.cfg:5' }, 'bad', 'Served: /h.cfg:5 comes before the rule'],
  [{ has_rule: false, open: true }, 'unknown', 'Exempt by a setting'],
  [{ open: true }, 'good', 'Denied'],
] as const)('shows a front end with %j as %s: %s', (more, tone, words) => {
  expect(frontEndWords({ ...web, ...more })).toEqual({ tone, words });
});

test('exempts one more front end, and keeps the exempt ones', () => {
  const all = [web, { ...web, name: 'stats', has_rule: false, open: true }, { ...web, name: 'mail', has_rule: false }];
  expect(exemption({ front_ends: all }, 'mail')).toBe('PROXY_MANAGER_OPEN_FRONT_ENDS=stats,mail');
});

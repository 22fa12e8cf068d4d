import { expect, it } from 'vitest';
import type { ServerState, Webhook } from '../../../api/types.ts';
import { sitesWords, webhooksWords } from './sites-and-webhooks-words.ts';

const site = (domain: string, ...statuses: string[]) => ({
  domain,
  states: statuses.map((status) => ({ status }) as ServerState),
});
const unchecked = { domain: 'new.example', states: undefined };

it.each([
  [[site('a', 'UP'), site('b', 'UP')], 'good', 'All servers of 2 sites are up'],
  [[site('a', 'UP'), site('b', 'DOWN')], 'bad', '1 of 2 sites down: b'],
  [[site('a', 'UP'), site('b', 'UP', 'DOWN')], 'warn', 'Not all servers are up: b'],
  [[site('a', 'UP'), unchecked], 'unknown', '1 of 2 sites up; 1 site not checked'],
  [[unchecked], 'unknown', '2 sites not checked'],
  [[site('a', 'DOWN'), unchecked], 'bad', '1 of 2 sites down: a; 1 site not checked'],
] as const)('summarises %j as %s', (checked, tone, words) => {
  expect(sitesWords(2, checked)).toEqual({ tone, words });
});

it('reports failing webhooks, except disabled ones', () => {
  const hook = (id: string, failing: boolean, enabled = true) =>
    ({ id, enabled, failing_since: failing ? '2026-11-22T12:00:00Z' : null }) as Webhook;
  expect(webhooksWords([hook('pager', true), hook('chat', false)])).toEqual({
    tone: 'warn',
    words: '1 of 2 webhooks failing: pager',
  });
  expect(webhooksWords([hook('pager', true, false), hook('chat', false)]).tone).toBe('good');
});

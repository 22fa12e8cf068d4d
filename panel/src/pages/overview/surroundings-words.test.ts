import { expect, it } from 'vitest';
import type { ServerState, Webhook } from '../../api/types.ts';
import { sitesWords, webhooksWords } from './surroundings-words.ts';

const site = (domain: string, ...statuses: string[]) => ({
  domain,
  states: statuses.map((status) => ({ status }) as ServerState),
});
const unasked = { domain: 'new.example', states: undefined };

it.each([
  [[site('a', 'UP'), site('b', 'UP')], 'good', 'All servers of 2 sites are up.'],
  [[site('a', 'UP'), site('b', 'DOWN')], 'bad', '1 of 2 sites without a server: b.'],
  [[site('a', 'UP'), site('b', 'UP', 'DOWN')], 'warn', 'Not every server is up: b.'],
  [[site('a', 'UP'), unasked], 'unknown', '1 of 2 sites up. 1 site not known.'],
  [[site('a', 'DOWN'), unasked], 'bad', '1 of 2 sites without a server: a. 1 site not known.'],
] as const)('%j is %s', (asked, tone, words) => {
  expect(sitesWords(2, asked)).toEqual({ tone, words });
});

it('tells of webhooks that fail, and of none that is switched off', () => {
  const hook = (id: string, failing: boolean, enabled = true) =>
    ({ id, enabled, failing_since: failing ? '2026-11-22T12:00:00Z' : null }) as Webhook;
  expect(webhooksWords([hook('pager', true), hook('chat', false)])).toEqual({
    tone: 'warn',
    words: '1 of 2 webhooks failing: pager.',
  });
  expect(webhooksWords([hook('pager', true, false), hook('chat', false)]).tone).toBe('good');
});

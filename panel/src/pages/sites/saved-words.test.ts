import { expect, it } from 'vitest';
import type { ReloadAnswer, ServerState } from '../../api/types.ts';
import { savedWords } from './saved-words.ts';

const reload = {
  worker_before: 1,
  worker_after: 2,
  duration_ms: 1_400,
  warnings: [] as string[],
} as unknown as ReloadAnswer;
const state = (status: string | null, check: string | null = null) =>
  ({ address: 'no-such-host.invalid', port: 80, status, check }) as ServerState;
const saved = { domain: 'dead.example', reload };

it('reports that visitors get 503 if the only server does not resolve', () => {
  expect(savedWords(saved, [state('MAINT (resolution)')])).toMatchObject({
    tone: 'warn',
    title: 'dead.example is saved, but no server is up',
    words: expect.stringContaining('no-such-host.invalid does not resolve'),
  });
});

it('reports a site that the configuration does not contain as not served', () => {
  expect(savedWords({ ...saved, served: false }, [])).toMatchObject({
    tone: 'warn',
    title: expect.stringContaining('not served'),
  });
});

it('reports members that the template ignores', () => {
  expect(savedWords({ ...saved, served: true, ignored: ['names', 'canonical'] }, null)).toMatchObject({
    tone: 'warn',
    title: 'dead.example is saved, but not all of it is in force',
    words: expect.stringContaining('does not apply the further names, the canonical name.'),
  });
});

it('reports a disabled site and a redirect, which have no servers to check', () => {
  const disabled = { ...saved, served: false, enabled: false };
  expect(savedWords(disabled, null)).toMatchObject({ tone: 'good', title: 'dead.example is disabled' });
  const redirect = { to: 'https://a.example', status: 301, keep_path: true } as const;
  expect(savedWords({ ...saved, redirect }, [])).toMatchObject({ tone: 'good', title: 'dead.example is live' });
});

it('does not call a site live if its servers could not be checked', () => {
  expect(savedWords(saved, null)).toMatchObject({ tone: 'unknown', title: 'dead.example is saved' });
});

it.each(['INI', '* INI', 'UNK'])('reports servers that are not checked yet: %s', (check) => {
  expect(savedWords(saved, [state('UP', 'L4OK'), state('UP', check)])).toMatchObject({
    tone: 'unknown',
    title: 'dead.example is live',
    words: expect.stringContaining('Its servers are not checked yet.'),
  });
});

it.each([
  ['a server that is up', [state('UP', 'L4OK')]],
  ['servers in unknown state', [state(null)]],
])('calls a site live with %s', (_, states) => {
  expect(savedWords(saved, states)).toMatchObject({ tone: 'good', title: 'dead.example is live' });
});

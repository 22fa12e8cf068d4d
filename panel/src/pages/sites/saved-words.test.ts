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

it('tells of a site whose only server has no address that visitors get an error', () => {
  expect(savedWords(saved, [state('MAINT (resolution)')])).toMatchObject({
    tone: 'warn',
    title: 'dead.example is saved; no server is up',
    words: expect.stringContaining('no-such-host.invalid does not resolve'),
  });
});

it('tells of a site that the configuration does not name that it is not served', () => {
  expect(savedWords({ ...saved, served: false }, [])).toMatchObject({
    tone: 'warn',
    title: expect.stringContaining('not served'),
  });
});

it('calls no site live whose servers could not be asked', () => {
  expect(savedWords(saved, null)).toMatchObject({ tone: 'unknown', title: 'dead.example is saved' });
});

it.each(['INI', '* INI', 'UNK'])('tells that its servers are not checked yet: %s', (check) => {
  expect(savedWords(saved, [state('UP', 'L4OK'), state('UP', check)])).toMatchObject({
    tone: 'unknown',
    title: 'dead.example is live',
    words: expect.stringContaining('Its servers are not checked yet.'),
  });
});

it.each([
  ['a server that is up', [state('UP', 'L4OK')]],
  ['servers that are not known yet', [state(null)]],
])('with %s a site is live', (_, states) => {
  expect(savedWords(saved, states)).toMatchObject({ tone: 'good', title: 'dead.example is live' });
});

import { expect, it } from 'vitest';
import type { Health } from '../api/types.ts';
import { pageCounts } from './page-counts.ts';

const health = (expected: number, reasons: readonly string[] = []) =>
  ({ runtime_map: { expected }, trusted_map: { entries: 4 }, reasons }) as unknown as Health;
const unknown = {
  ...{ health: undefined, candidates: undefined, sources: undefined, sites: undefined, notices: undefined },
};
const textsOf = (known: Partial<Parameters<typeof pageCounts>[0]>) =>
  [...pageCounts({ ...unknown, ...known })].map(([page, { text, about, attention }]) =>
    [page, text, about, ...(attention ? ['attention'] : [])].join(' | '),
  );

it('counts nothing before the first answers', () => {
  expect(textsOf({})).toEqual([]);
});

it('counts what each page lists, in four characters', () => {
  expect(textsOf({ health: health(379_126), candidates: 7, sources: 5, sites: 12 })).toEqual([
    '/candidates | 7 | 7 candidates | attention',
    '/blocked | 379k | 379,126 entries',
    '/trusted | 4 | 4 entries',
    '/sources | 5 | 5 sources',
    '/sites | 12 | 12 sites',
  ]);
});

it('shows a known 0, which is not an unknown count', () => {
  expect(textsOf({ candidates: 0 })).toEqual(['/candidates | 0 | 0 candidates']);
  expect(textsOf({ health: health(0) })).toEqual(['/blocked | 0 | 0 entries', '/trusted | 4 | 4 entries']);
});

it('counts certificates only if they need attention', () => {
  const failing = health(0, ['certificates: c-a expired', 'worker 7: no answer']);
  expect(textsOf({ health: failing })).toContain('/certificates | 1 | 1 problem | attention');
});

it('counts the open notices of the pages that lead to their cause', () => {
  const notice = (type: string, page: string, ended_at: string | null = null) => ({ type, page, ended_at });
  const notices = [
    notice('site.down', '/sites'),
    notice('site.down', '/sites', '2026-11-20T12:00:00Z'),
    notice('certificate.expiring', '/certificates'),
    notice('certificate.failing', '/certificates'),
    notice('webhook.failing', '/webhooks'),
    notice('key.expiring', '/keys'),
  ];
  expect(textsOf({ sites: 3, notices })).toEqual([
    '/sites | 1 down | 1 site down | attention',
    '/certificates | 2 | 2 problems | attention',
    '/webhooks | 1 | 1 problem | attention',
    '/keys | 1 | 1 problem | attention',
  ]);
});

import { describe, expect, it } from 'vitest';
import { getInsight } from '../../api/insight.ts';
import { statsLines } from './stats.ts';
import { percent, summaryLine } from './top.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const summary = getInsight.examples.day.answer;

describe('the figures for people', () => {
  it('show the sums with their shares and the trend', () => {
    expect(statsLines({ ...summary, denied: 1_000, requests: 20_000, not_attributed: 4 }, now).slice(0, 3)).toEqual([
      'denied        1,000 denied, 5.0 % of all requests. 0.4 % not attributed.',
      '              100 % less than before',
      'addresses     21,894, 4,102 of them new',
    ]);
    expect(statsLines({ ...summary, previous: { ...summary.previous, denied: summary.denied / 2 } }, now)[1]).toMatch(
      /100 % more than before/,
    );
  });

  it('never show 0 for what is not known', () => {
    const unknown = { ...summary, denied: null, requests: null, not_attributed: null, since: null };
    const lines = statsLines(unknown, now);
    expect(lines[0]).toBe('denied        Nothing is known of this time.');
    expect(lines).toContain('never matched watching for 12 days; known after 90');
    expect(lines).toContain('nothing was counted yet');
    const never = { days: 90, count: 0, old_enough: 0, watched_days: 90 };
    expect(statsLines({ ...summary, never_matched: never }, now)).toContain('never matched no entry is 90 days old');
    expect(summaryLine({ denied: 5, requests: null, not_attributed: null })).toBe('5 denied.');
  });

  it('list gaps with their cause', () => {
    const gap = { from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T11:00:00.000Z', cause: 'the service was stopped' };
    expect(statsLines({ ...summary, gaps: [gap] }, now).at(-1)).toBe(
      'gap           2026-11-20 10:00 UTC to 2026-11-20 11:00 UTC (60 min ago): the service was stopped',
    );
    expect([percent(0.004), percent(0.5)]).toEqual(['0.4 %', '50 %']);
  });
});

import { expect, it } from 'vitest';
import type { InsightSeries } from '../api/types.ts';
import { byVerdict, chartData, previousValues, spanAt, stacked } from './series.ts';

const begin = Date.parse('2026-11-20T12:00:00.000Z') / 1_000;
const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const answer = (facts: Partial<InsightSeries>): InsightSeries => ({
  from: iso(begin),
  step_seconds: 120,
  labels: ['denied'],
  values: [[240, null, 0]],
  marks: [],
  sampled: null,
  complete: true,
  gaps: [],
  ...facts,
});
const perMinute = { perMinute: true, now: begin + 3_600 };

it('shows sums of a step per minute, and what is not known as a gap, not as 0', () => {
  const { times, lines, gaps } = chartData(answer({}), perMinute);
  expect(times).toEqual([begin, begin + 120, begin + 240]);
  expect(lines.map(({ values }) => values)).toEqual([[120, null, 0]]);
  expect(gaps).toEqual([{ from: begin + 120, to: begin + 240, cause: 'not counted' }]);
});

it('shows the cause of a gap, also where a sum is known', () => {
  const gap = { from: iso(begin + 100), to: iso(begin + 240), cause: 'the service was stopped' };
  const marks = (['gap', 'import'] as const).map((kind) => ({ at: gap.from, kind, text: kind }));
  const { gaps, marks: shown } = chartData(answer({ values: [[240, 60, 0]], gaps: [gap], marks }), perMinute);
  expect(shown.map(({ kind }) => kind)).toEqual(['import']);
  expect(gaps).toEqual([{ from: begin + 100, to: begin + 240, cause: 'the service was stopped' }]);
  expect(spanAt(gaps, begin, begin + 120)?.cause).toBe('the service was stopped');
  expect(spanAt(gaps, begin + 240, begin + 360)).toBeNull();
});

it('leaves out the step that is not over, unless the last value counts', () => {
  const now = begin + 300;
  expect(chartData(answer({}), { perMinute: true, now }).times).toHaveLength(2);
  expect(chartData(answer({}), { perMinute: false, now }).lines[0]?.values).toEqual([240, null, 0]);
});

it('adds up all but the four loudest', () => {
  const labels = ['a', '(others)', 'b', 'c', 'd', 'e', 'f'];
  const values = [
    [1, 1],
    [100, 100],
    [9, 9],
    [8, 8],
    [7, 7],
    [6, 6],
    [2, null],
  ];
  const { lines } = chartData(answer({ labels, values, step_seconds: 60 }), perMinute);
  expect(lines.map(({ label, values: own }) => [label, ...own])).toEqual([
    ['b', 9, 9],
    ['c', 8, 8],
    ['d', 7, 7],
    ['e', 6, 6],
    ['others', 103, null],
  ]);
  expect(stacked(lines.slice(0, 2))).toEqual([
    [9, 9],
    [17, 17],
  ]);
});

it('compares with the period before, whose steps may be longer, and of which something may not be known', () => {
  const drawn = chartData(answer({ step_seconds: 60, values: [[1, 2, 3, 4]] }), perMinute);
  // Two steps of the period before, then those of the period itself.
  const twice = { from: iso(begin - 240), step_seconds: 120, values: [[240, null, 6, 8]] };
  const period = { seconds: 240, perMinute: true };
  expect(previousValues(twice, drawn, period)).toEqual([120, 120, null, null]);
  expect(previousValues(twice, drawn, { ...period, perMinute: false })).toEqual([240, 240, null, null]);
  // Older than all that is known.
  expect(previousValues(twice, drawn, { ...period, seconds: 480 })).toEqual([null, null, null, null]);
});

it('divides requests into denied ones and others, and knows neither without the other', () => {
  const requests = answer({ labels: ['requests'], values: [[100, 90, null, 80, 70]] });
  // Asked a step earlier.
  const denied = answer({ from: iso(begin - 120), values: [[5, 10, null, 3, 90]] });
  expect(byVerdict(requests, denied)).toMatchObject({
    labels: ['not denied', 'denied'],
    values: [
      [90, null, null, 0, null],
      [10, null, null, 90, null],
    ],
  });
  const [other] = byVerdict(requests, { ...denied, step_seconds: 60 }).values;
  expect(other).toEqual([null, null, null, null, null]);
});

it('has the time of each attack, of one that continues up to the end of the chart', () => {
  const attack = (from: number, to: number | null) => ({
    at: iso(from),
    kind: 'attack' as const,
    text: 'Attack',
    ended_at: to === null ? null : iso(to),
  });
  const marks = [attack(begin - 600, begin - 60), attack(begin - 60, begin + 60), attack(begin + 200, null)];
  expect(chartData(answer({ marks }), perMinute).attacks).toEqual([
    { from: begin - 60, to: begin + 60, continues: false },
    { from: begin + 200, to: begin + 360, continues: true },
  ]);
});

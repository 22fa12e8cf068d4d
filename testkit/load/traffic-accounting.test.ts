import { describe, expect, it } from 'vitest';
import { longestPause, type RequestRecord, tallyOf } from './traffic-accounting.ts';

const answered = (dueAt: number, endedAt: number): RequestRecord => ({
  kind: 'new',
  dueAt,
  endedAt,
  failure: null,
});
const failed = (dueAt: number, endedAt: number): RequestRecord => ({
  kind: 'new',
  dueAt,
  endedAt,
  failure: { cause: 'reset', detail: 'ECONNRESET' },
});

describe('the longest pause', () => {
  it.each<[string, RequestRecord[], { ms: number; at: number }]>([
    ['of nothing is none', [], { ms: 0, at: 0 }],
    ['of one request is its latency', [answered(10, 13)], { ms: 3, at: 10 }],
    ['does not count time in which nothing was due', [answered(0, 1), answered(500, 502)], { ms: 2, at: 500 }],
    ['begins at the last answer while others wait', [answered(0, 10), answered(5, 25)], { ms: 15, at: 10 }],
    ['begins with the first that was due, not the last', [answered(0, 40), answered(30, 40)], { ms: 40, at: 0 }],
    // One slow request among answered ones is no pause of HAProxy.
    ['ends at every answer', [answered(0, 30), answered(10, 11), answered(20, 21)], { ms: 11, at: 0 }],
    ['goes on through a failure', [failed(0, 10), answered(5, 30)], { ms: 30, at: 0 }],
    ['ends when the last that waited failed', [failed(0, 10), answered(50, 51)], { ms: 10, at: 0 }],
    ['does not go on with what becomes due as the last one fails', [failed(0, 5), answered(5, 9)], { ms: 5, at: 0 }],
  ])('%s', (_, records, expected) => {
    expect(longestPause(records)).toEqual(expected);
    expect(longestPause([...records].reverse())).toEqual(expected);
  });
});

describe('a tally', () => {
  it('measures latency of answered requests from the scheduled time', () => {
    const records = Array.from({ length: 200 }, (_, index) => answered(index * 10, index * 10 + index + 1));
    const tally = tallyOf([...records, failed(0, 9_000)]);
    expect(tally).toMatchObject({ sent: 201, failed: 1, causes: { reset: 1 }, p50: 101, p99: 199, longest: 200 });
  });

  it('names the first failures in order, with their times', () => {
    const tally = tallyOf([answered(100, 101), failed(140, 190), failed(130, 150)]);
    expect(tally.firstFailures).toEqual([
      { cause: 'reset', detail: 'ECONNRESET', afterMs: 50 },
      { cause: 'reset', detail: 'ECONNRESET', afterMs: 90 },
    ]);
    expect(tally.pause).toEqual({ ms: 60, afterMs: 30 });
  });

  it('has no latencies without answers', () => {
    expect(tallyOf([failed(0, 1)])).toMatchObject({ sent: 1, failed: 1, p50: null, p99: null, longest: null });
    expect(tallyOf([])).toMatchObject({ sent: 0, failed: 0, p50: null, pause: { ms: 0, afterMs: 0 } });
  });
});

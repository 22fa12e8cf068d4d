import { expect, test } from 'vitest';
import { busiestSites, emptyHistory, withSample } from './history.ts';
import { readMetrics } from './metrics-text.ts';
import { sampleOf } from './sample.ts';

function text(requests: number, denied: number, site: number, up = 1): string {
  return [
    '# HELP proxy_manager_entries x',
    `proxy_manager_proxy_stats_up ${up}`,
    ...(up === 1
      ? [
          `proxy_manager_frontend_requests_total{frontend="http"} ${requests}`,
          `proxy_manager_frontend_requests_total{frontend="(others)"} 0`,
          `proxy_manager_frontend_denied_requests_total{frontend="http"} ${denied}`,
          `proxy_manager_backend_requests_total{backend="b",site="a \\"b\\".example"} ${site}`,
          `proxy_manager_backend_requests_total{backend="none",site=""} 9`,
        ]
      : []),
    'proxy_manager_entries{set="blocked"} 7',
    'proxy_manager_last_reload_timestamp_seconds{result="completed"} 1000.5',
    '',
  ].join('\n');
}
const at = (seconds: number, body: string) => sampleOf(readMetrics(body), seconds);

test('turns counters into rates, with gaps for missing values', () => {
  let history = withSample(emptyHistory, at(1_000, text(100, 10, 50)));
  expect(history.points[0]).toMatchObject({ requests: null, denied: null, blocked: 7 });
  history = withSample(history, at(1_002, text(120, 10, 54)));
  expect(history.points[1]).toMatchObject({ requests: 10, denied: 0 });
  expect(history.points[1]?.sites).toEqual(new Map([['a "b".example', 2]]));
  // A reload: the new worker counts from zero.
  history = withSample(history, at(1_004, text(3, 0, 1)));
  expect(history.points[2]).toMatchObject({ requests: null });
  history = withSample(history, at(1_006, text(3, 0, 1, 0)));
  expect(history.points[3]).toMatchObject({ requests: null, denied: null, blocked: 7 });
  history = withSample(history, at(1_066, text(9, 0, 1)));
  expect(history.points.slice(4).map(({ requests }) => requests)).toEqual([null, null]);
  expect(history.reloads).toEqual([{ at: 1_000.5, result: 'completed' }]);
  expect(busiestSites(history, 3)).toEqual(['a "b".example']);
});

test('keeps 15 minutes', () => {
  let history = emptyHistory;
  for (let seconds = 0; seconds < 3_000; seconds += 5) history = withSample(history, at(seconds, text(seconds, 0, 0)));
  expect(history.points.length).toBeLessThan(185);
});

import { useQueryClient } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { FakeService } from '../test/fake-service.ts';
import { renderInApp } from '../test/render.tsx';
import { busiestSites } from '../traffic/history.ts';
import { forgetHistory, keepHistory, takeHistory } from '../traffic/kept-history.ts';
import { keepTraffic, useTraffic } from './metrics.ts';

let requests = 0;
beforeEach(() => {
  requests = 0;
  new FakeService().on('GET /metrics', () => {
    requests += 10;
    const lines = [
      'proxy_manager_proxy_stats_up 1',
      `proxy_manager_frontend_requests_total{frontend="http"} ${requests}`,
      `proxy_manager_backend_requests_total{backend="b",site="shop.example"} ${requests}`,
    ];
    return { body: `${lines.join('\n')}\n` };
  });
});

let leave: () => void;
let sample: () => Promise<unknown>;
function Points() {
  const queries = useQueryClient();
  const traffic = useTraffic();
  leave = () => keepTraffic(queries);
  sample = () => traffic.refetch();
  return <p data-testid="points">{traffic.data?.points.length ?? 0}</p>;
}
const points = () => Number(screen.getByTestId('points').textContent);

it('continues the charts after a reload of the page', async () => {
  await renderInApp(<Points />);
  await waitFor(() => expect(points()).toBe(1));
  await act(() => sample());
  await waitFor(() => expect(points()).toBeGreaterThan(1));
  const before = points();
  leave();
  cleanup();
  await renderInApp(<Points />);
  await waitFor(() => expect(points()).toBeGreaterThan(before));
});

const full = (sites: number) => ({
  last: { at: 100, requests: 7, denied: 1, sites: new Map([['a.example', 3]]), blocked: 5, reloads: [] },
  points: [
    {
      at: 100,
      requests: 2,
      denied: null,
      sites: new Map(Array.from({ length: sites }, (_, n) => [`${n}.example`, n] as const)),
      blocked: 5,
    },
  ],
  reloads: [{ at: 90, result: 'completed' }],
});

it('keeps points and reloads, and of many sites the busiest', () => {
  keepHistory(sessionStorage, full(1_000));
  const kept = takeHistory(sessionStorage);
  expect(kept).toMatchObject({ last: { at: 100, requests: 7 }, reloads: [{ at: 90, result: 'completed' }] });
  expect(kept.points).toMatchObject([{ at: 100, requests: 2, denied: null, blocked: 5 }]);
  expect(busiestSites(kept, 1_000)).toEqual(Array.from({ length: 20 }, (_, n) => `${999 - n}.example`));
});

it('hands the history to one page only, and to none after a sign-out', () => {
  keepHistory(sessionStorage, full(1));
  expect(takeHistory(sessionStorage).points).toHaveLength(1);
  expect(takeHistory(sessionStorage).points).toEqual([]);
  keepHistory(sessionStorage, full(1));
  forgetHistory(sessionStorage);
  expect(takeHistory(sessionStorage).points).toEqual([]);
});

it('starts empty if the kept history cannot be read', () => {
  for (const text of ['', '{', '{"points":1}', 'null']) {
    sessionStorage.setItem('proxy-manager-traffic', text);
    expect(takeHistory(sessionStorage)).toMatchObject({ points: [], reloads: [] });
  }
});

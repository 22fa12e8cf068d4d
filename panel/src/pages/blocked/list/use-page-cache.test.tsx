import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { allBlocked, type BlockedQuery } from '../../../api/blocked-ips.ts';
import { LiveEvents } from '../../../live/live.tsx';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { usePageCache, usePageCacheState } from './use-page-cache.ts';

function Total({ query }: { readonly query: BlockedQuery }) {
  return <p>total {usePageCacheState(usePageCache(query)).total}</p>;
}

it.each([
  // The visible rows have a request of their own.
  ['the list', '', null],
  // Reads every entry, so there is only this one.
  ['a text search', 'scan', 'true'],
])('asks for the hours together with the rows: %s', async (_what, text, spark) => {
  const service = new FakeService();
  service.on('GET /api/blocked-ips', () => ({ body: { items: [], total: 7, next_cursor: null } }));
  await renderInApp(
    <LiveEvents>
      <Total query={{ ...allBlocked, text }} />
    </LiveEvents>,
  );
  await screen.findByText('total 7');
  const requests = service.calls.filter(({ call }) => call === 'GET /api/blocked-ips');
  expect(requests.map(({ query }) => query.get('spark'))).toEqual([spark]);
});

import { useQuery } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { queryKeys } from '../api/query-keys.ts';
import { useApi } from '../session/session.ts';
import { FakeService } from '../test/fake-service.ts';
import { renderInApp } from '../test/render.tsx';
import { LiveEvents } from './live.tsx';

function Status() {
  const api = useApi();
  // As `useHealth`, which also repeats the request every few seconds.
  const { data } = useQuery({ queryKey: queryKeys.health, queryFn: async () => (await api.GET('/health')).data });
  return <p>{data?.status}</p>;
}

it('requests health at once when the stream of events ends', async () => {
  const service = new FakeService();
  const stream = Promise.withResolvers<void>();
  service.on('GET /api/events', async () => {
    await stream.promise;
    return { body: ': \n\n' };
  });
  const requests = (): number => service.calls.filter(({ call }) => call === 'GET /health').length;
  await renderInApp(
    <LiveEvents>
      <Status />
    </LiveEvents>,
  );
  await screen.findByText('ok');
  expect(requests()).toBe(1);
  stream.resolve();
  await expect.poll(requests, { timeout: 60_000 }).toBe(2);
});

import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useHealth } from '../api/health.ts';
import { FakeService } from '../test/fake-service.ts';
import { renderInApp } from '../test/render.tsx';
import { LiveEvents } from './live.tsx';

function Status() {
  return <p>{useHealth().data?.status}</p>;
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
  const ended = performance.now();
  stream.resolve();
  await expect.poll(requests).toBe(2);
  // Otherwise only after three seconds.
  expect(performance.now() - ended).toBeLessThan(2_000);
});

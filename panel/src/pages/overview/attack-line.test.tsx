import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createQueries } from '../../app/queries.ts';
import { FakeService, problem } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { AttackLine, CurrentAttack } from './attack-line.tsx';

const since = '2026-11-20T12:00:00.000Z';

async function open(id: number): Promise<void> {
  cleanup();
  const service = new FakeService();
  service.on('GET /api/insight/attacks', () => ({ body: { items: [] } }));
  await renderInApp(
    <>
      <p>the page</p>
      <AttackLine id={id} since={since} />
    </>,
  );
  await screen.findByText('the page');
}

it('hides the line of an attack for an hour, and not that of another attack', async () => {
  localStorage.clear();
  await open(7);
  fireEvent.click(await screen.findByRole('button', { name: 'Hide for 1 h' }));
  await waitFor(() => expect(screen.queryByText('Show attack')).toBeNull());
  const [of, until] = (localStorage.getItem('proxy-manager-attack-hidden') ?? '').split(' ');
  expect(of).toBe('7');
  expect(Math.abs(Number(until) - Date.now() - 3_600_000)).toBeLessThan(600_000);
  await open(7);
  expect(screen.queryByText('Show attack')).toBeNull();
  await open(8);
  await screen.findByText('Show attack');
});

it('shows the line again after the hour', async () => {
  localStorage.setItem('proxy-manager-attack-hidden', `7 ${Date.now() - 1}`);
  await open(7);
  await screen.findByText('Show attack');
});

it('shows the line if it is hidden for longer than an hour: the clock was ahead', async () => {
  localStorage.setItem('proxy-manager-attack-hidden', `7 ${Date.now() + 7_200_000}`);
  await open(7);
  await screen.findByText('Show attack');
});

it('shows no attack while it is not known whether it continues', async () => {
  localStorage.clear();
  const service = new FakeService();
  const counted = { body: { attack: { id: 7, started_at: since } } };
  service.on('GET /api/insight', () => counted);
  service.on('GET /api/insight/attacks', () => ({ body: { items: [] } }));
  const queries = createQueries();
  await renderInApp(<CurrentAttack range="24h" />, { queries });
  await screen.findByText('Show attack');
  service.on('GET /api/insight', () => problem(409, 7010, 'off'));
  await act(() => queries.refetchQueries());
  await waitFor(() => expect(screen.queryByText('Show attack')).toBeNull());
});

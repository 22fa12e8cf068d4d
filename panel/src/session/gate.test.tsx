import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeService, problem } from '../test/fake-service.ts';
import { renderInApp } from '../test/render.tsx';
import { Gate } from './gate.tsx';

let service: FakeService;
let receive: (token: string) => void;

beforeEach(async () => {
  service = new FakeService();
  service.on('GET /api/session', () => ({ body: { name: 'ann', scopes: ['admin'], client_address: null } }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await renderInApp(<Gate>The panel</Gate>, {
    signedIn: false,
    tabs: {
      postMessage: () => undefined,
      addEventListener: (_, listener) => {
        receive = (token) => act(() => listener({ data: { token } }));
      },
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const form = () => screen.queryByLabelText('API key');
const wait = (milliseconds: number) => act(() => vi.advanceTimersByTime(milliseconds));

it('shows the sign-in form when no other tab has sent a session for 300 ms', () => {
  wait(299);
  expect(form()).toBeNull();
  wait(1);
  expect(form()).not.toBeNull();
  expect(service.calls).toEqual([]);
});

it.each([100, 5_000])('takes over the session of a tab that responds after %i ms', async (milliseconds) => {
  wait(milliseconds);
  vi.useRealTimers();
  receive('pms_2');
  await screen.findByText('The panel');
  expect(form()).toBeNull();
  expect(service.calls.map(({ call }) => call)).toEqual(['GET /api/session']);
});

it('shows the sign-in form with the reason when the session of the other tab has ended', async () => {
  service.on('GET /api/session', () => problem(401, 401, 'the session has ended'));
  vi.useRealTimers();
  receive('pms_2');
  await screen.findByText(/^You were signed out\./);
  expect(form()).not.toBeNull();
});

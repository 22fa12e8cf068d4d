import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { FakeService, problem } from '../test/fake-service.ts';
import { renderInApp } from '../test/render.tsx';
import { SignIn } from './sign-in.tsx';

const enterKey = (key: string): void =>
  void fireEvent.change(screen.getByLabelText('API key'), { target: { value: key } });
const button = () => screen.getByRole('button', { name: 'Sign in' }) as HTMLButtonElement;

it('signs in with a trimmed key', async () => {
  const service = new FakeService();
  const session = await renderInApp(<SignIn />, { signedIn: false });
  enterKey(' pm_good ');
  fireEvent.click(button());
  await waitFor(() => expect(session.state.info?.name).toBe('ann'));
  expect(service.calls.map(({ call }) => call)).toEqual(['POST /api/session']);
});

it('reports an invalid key', async () => {
  const service = new FakeService();
  service.on('POST /api/session', () => problem(401, 401, 'the key is not valid'));
  const session = await renderInApp(<SignIn />, { signedIn: false });
  enterKey('pm_wrong');
  fireEvent.click(button());
  await screen.findByText('This key is not valid. It may be mistyped, revoked or expired.');
  expect(session.state.hasToken).toBe(false);
});

it('names a character that no key has, without a request', async () => {
  const service = new FakeService();
  await renderInApp(<SignIn />, { signedIn: false });
  enterKey('pm_“x”');
  await screen.findByText(/it contains “““ \(U\+201C\)|it contains ““” \(U\+201C\)/);
  expect(button().disabled).toBe(true);
  expect(service.calls).toEqual([]);
});

it('reports an unreachable service as such', async () => {
  new FakeService();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
  await renderInApp(<SignIn />, { signedIn: false });
  enterKey('pm_good');
  fireEvent.click(button());
  await screen.findByText('Sign-in failed');
  await screen.findByText(/The service does not respond/);
});

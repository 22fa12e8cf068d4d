import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { LiveList } from './live-list.tsx';

const nothing: readonly never[] = [];
vi.mock('../../../live/live.tsx', () => ({ useEventLog: () => nothing, useStreamState: () => ({ kind: 'live' }) }));

it.each([
  [['admin'], '/activity?tab=audit'],
  // It may not read the audit log.
  [['block'], null],
])('leads from no events, with a key for %j, to the audit log: %s', async (scopes, link) => {
  const service = new FakeService();
  service.on('POST /api/session', () => ({ body: { token: 'pms_1', name: 'ann', scopes, client_address: null } }));
  await renderInApp(<LiveList />);
  screen.getByText('No events since you opened the panel');
  expect(screen.queryByRole('link', { name: 'audit log' })?.getAttribute('href') ?? null).toBe(link);
});

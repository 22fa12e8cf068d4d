import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Scope } from '../../api/types.ts';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { KeyTable } from './key-table.tsx';

const key = (name: string, scope: Scope) => ({
  ...{ name, scopes: [scope], source: null, created_at: '2026-11-20T12:00:00.000Z' },
  ...{ expires_at: null, last_used_at: null, revoked_at: null },
});

it('offers to bind only a key that may block', async () => {
  new FakeService();
  const keys = [key('dashboard', 'read'), key('fail2ban', 'block'), key('ops', 'admin')];
  await renderInApp(<KeyTable keys={keys} now={0} onBind={() => undefined} onRevoke={() => undefined} />);
  const named = (pattern: RegExp) =>
    screen.queryAllByRole('button', { name: pattern }).map((one) => one.getAttribute('aria-label'));
  expect(named(/^Bind/)).toEqual(['Bind key fail2ban', 'Bind key ops']);
  expect(named(/^Revoke/)).toHaveLength(3);
});

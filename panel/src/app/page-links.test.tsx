import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { FakeService } from '../test/fake-service.ts';
import { renderInApp } from '../test/render.tsx';
import { PageLinks } from './page-links.tsx';

const mail = { name: 'mail', place: '/h.cfg:9', mode: 'tcp', has_rule: false, answered_before: null, open: false };
const reason = 'front end mail (/h.cfg:9) has no rule for the blocked map, so blocked addresses are served there';
const describedBy = (name: string) => screen.getByRole('link', { name }).getAttribute('aria-description');
const show = async (attached: object | null) => {
  const reasons = attached === null ? [] : [reason];
  const body = { status: 'degraded', reasons, attached, runtime_map: { expected: 3 } };
  new FakeService().on('GET /health', () => ({ body }));
  await renderInApp(<PageLinks onOpen={() => undefined} />);
  // Then it is known whether the service is attached.
  await waitFor(() => expect(describedBy('Blocked addresses')).toBe('3 entries'));
  return (name: string) => screen.queryByRole('link', { name });
};

it('leads to the sites', async () => {
  const link = await show(null);
  expect(link('Sites')).not.toBeNull();
});

it('leads an attached service to the front ends without a rule, and not to sites', async () => {
  const link = await show({ front_ends: [mail] });
  expect(link('Sites')).toBeNull();
  expect(describedBy('Configuration')).toBe('1 front end without a rule');
});

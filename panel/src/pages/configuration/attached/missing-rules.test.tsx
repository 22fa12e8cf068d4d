import { screen } from '@testing-library/react';
import { it } from 'vitest';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { MissingRules } from './missing-rules.tsx';

const shop = { name: 'shop', place: '/h.cfg:3', mode: 'http', has_rule: true, answered_before: null, open: false };
const mail = { ...shop, name: 'mail', place: '/h.cfg:9', has_rule: false };
const attached = { files: ['/h.cfg'], front_ends: [shop, mail], changed_since_load: false, reload_by: 'master' };
const reason = 'front end mail (/h.cfg:9) has no rule for the blocked map, so blocked addresses are served there';
const show = async (reasons: readonly string[]) => {
  new FakeService().on('GET /health', () => ({ body: { status: 'degraded', reasons, attached } }));
  await renderInApp(<MissingRules attached={attached} />);
};

it('offers the command that adds the rule, and the setting that exempts a front end', async () => {
  await show([reason]);
  await screen.findByText('Not blocked in 1 of 2 front ends');
  screen.getByText('proxy-manager attach');
  screen.getByRole('button', { name: 'Copy command' });
  screen.getByText('PROXY_MANAGER_OPEN_FRONT_ENDS=mail');
  screen.getByRole('button', { name: 'Copy setting for mail' });
});

import { cleanup, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { Validated } from './outcomes.tsx';

beforeEach(() => void new FakeService());

const valid = { valid: true, output: '', sha256: '', warnings: [], needs_replace_configuration: false };
const show = async (facts: object) =>
  await renderInApp(<Validated answer={{ ...valid, ...facts }} onClose={() => undefined} />);

it('shows the warnings of a valid configuration, those of HAProxy once', async () => {
  const bare = 'frontend other has no rule for the blocked map: blocked addresses are served there';
  const output = '[WARNING]  (12) : config : missing timeouts';
  await show({ output, warnings: [bare, 'HAProxy: config : missing timeouts'] });
  screen.getByText('Configuration is valid, with warnings');
  expect(screen.getByLabelText('Warnings').textContent).toBe(`Warnings${bare}`);
  expect(screen.getAllByText(/missing timeouts/)).toHaveLength(1);
});

it('says that a reload needs a confirmation', async () => {
  await show({ needs_replace_configuration: true });
  screen.getByText(/once you confirm that it replaces the live one/);
});

it('says whose messages they are, also in attached mode, which renders nothing', async () => {
  await show({ valid: false, output: '[ALERT]    (12) : config : unknown keyword' });
  screen.getByLabelText('HAProxy messages');
  cleanup();
  await show({ valid: false, output: 'proxy.liquid: unknown variable' });
  screen.getByLabelText('Template messages');
});

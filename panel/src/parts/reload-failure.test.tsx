import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { ApiProblem, type Problem } from '../../../src/client/client.ts';
import { FakeService } from '../test/fake-service.ts';
import { renderInApp } from '../test/render.tsx';
import { ReloadFailure } from './reload-failure.tsx';

beforeEach(() => void new FakeService());

const show = async (detail: string, output: string) => {
  const problem = { code: 5002, detail, output } as unknown as Problem;
  await renderInApp(<ReloadFailure error={new ApiProblem(problem, new Response(null, { status: 422 }))} />);
  return screen.queryByLabelText('HAProxy messages')?.querySelector('pre')?.textContent ?? null;
};

it('shows what HAProxy wrote, if the message does not say all of it', async () => {
  const output = '[ALERT] (1) : parsing [proxy.cfg:3]: unknown keyword\n[ALERT] (1) : fatal errors found';
  expect(await show('HAProxy refuses the new configuration: unknown keyword', output)).toBe(output);
});

it('does not say a reason twice, nor that it is from HAProxy if it is not', async () => {
  const why = 'proxy.liquid: unknown variable';
  expect(await show(`the template could not be rendered: ${why}`, `${why}\n`)).toBeNull();
});

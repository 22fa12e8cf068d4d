import { expect, test } from 'vitest';
import { sampleInput } from '../../../testkit/configuration/template-samples.ts';
import { scopeOf } from './render-scope.ts';
import { TemplateRefused } from './template-engine.ts';
import { renderInThread } from './template-thread.ts';

const scope = scopeOf(
  sampleInput,
  [],
  { names_map: '/etc/proxy/names.map', has_wildcards: false, sites_map: '/etc/proxy/sites.map' },
  sampleInput.machine!,
);
const endless = '{% for i in (1..100000) %}{% for j in (1..100000) %}{% assign k = j %}{% endfor %}{% endfor %}';

test('renders as the engine does', async () => {
  expect(await renderInThread('{% for b in http_bind %}bind {{ b }}\n{% endfor %}', scope)).toBe(
    'bind :80\nbind [::]:80\n',
  );
});

test('refuses with the engine’s message and line', async () => {
  await expect(renderInThread('\n{{ no_such }}', scope)).rejects.toMatchObject({
    message: expect.stringContaining('undefined variable: no_such'),
    line: 2,
  });
});

test('loops that print nothing block no other work, and are terminated', async () => {
  let turns = 0;
  let done = false;
  const turn = () => {
    turns += 1;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  const error = await renderInThread(endless, scope, 200).catch((thrown: unknown) => thrown);
  done = true;
  expect(error).toBeInstanceOf(TemplateRefused);
  expect((error as Error).message).toBe('rendering did not finish within 0.2 s');
  expect(turns).toBeGreaterThan(10);
});

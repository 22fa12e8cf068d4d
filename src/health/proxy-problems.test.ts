import { expect, it } from 'vitest';
import { proxyProblems } from './proxy-problems.ts';

it('reports a missing configuration, and how to find out why', async () => {
  const live = { path: '/etc/proxy/proxy.cfg', read: async () => null };
  const configured = { live, rule: { check: async () => undefined, problemOf: () => null }, supervisor: null };
  const registry = { all: () => [], masterPid: null };
  const problems = await proxyProblems(
    configured as unknown as Parameters<typeof proxyProblems>[0],
    registry as unknown as Parameters<typeof proxyProblems>[1],
  );
  expect(problems).toEqual([expect.stringMatching(/^proxy: there is no configuration at .*proxy\.cfg: .*--dry-run/)]);
});

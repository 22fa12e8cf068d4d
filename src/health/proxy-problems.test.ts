import { expect, it } from 'vitest';
import { proxyProblems } from './proxy-problems.ts';

it('reports a missing configuration, and how to find out why', async () => {
  const findings = { exists: false, problem: null, binds: [], logSockets: [] };
  const configured = { configFile: '/etc/proxy/proxy.cfg', rule: { findings: async () => findings }, supervisor: null };
  const registry = { all: () => [], masterPid: null };
  const problems = await proxyProblems(configured as unknown as Parameters<typeof proxyProblems>[0], registry);
  expect(problems).toEqual([expect.stringMatching(/^proxy: there is no configuration at .*proxy\.cfg: .*--dry-run/)]);
});

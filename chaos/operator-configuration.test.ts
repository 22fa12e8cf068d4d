import { expect, it } from 'vitest';
import { frontEndsOf } from '../src/configuration/rules/front-ends.ts';
import type { ServicePaths } from '../testkit/real-service.ts';
import { type ConfigurationState, filesOf, firstState } from './operator-configuration.ts';

const paths = {
  config: '/p/etc/haproxy.cfg',
  blockedMap: '/p/blocked.map',
  trustedMap: '/p/trusted.map',
} as ServicePaths;
const ports = { web: 1, api: 2, mail: 3, server: 4 };

function rulesOf(state: ConfigurationState): Record<string, boolean> {
  const files = [...filesOf(state, paths, ports)].map(([path, text]) => ({ path, text }));
  return Object.fromEntries(frontEndsOf(files, paths).map(({ name, hasRule }) => [name, hasRule]));
}

it('each front end of the operator has the rule in some form', () => {
  expect(rulesOf({ ...firstState, more: [5] })).toEqual({ web: true, api: true, 'more-5': true, mail: true });
});

it('the rule can be removed from one front end, and from all', () => {
  const of = (...withoutRule: string[]) => rulesOf({ ...firstState, more: [5], withoutRule });
  expect(of('api')).toEqual({ web: true, api: false, 'more-5': true, mail: true });
  expect(of('web', 'api', 'more-5', 'mail')).toEqual({ web: false, api: false, 'more-5': false, mail: false });
});

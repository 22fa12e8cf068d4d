import { expect, it } from 'vitest';
import { isSampled } from './sampled-tests.ts';

it.each([
  ["import { caseCount } from '../../testkit/proxies.ts';", true],
  ["import {\n  describeOnEachProxy,\n  longTests,\n} from '../testkit/proxies.ts';", true],
  ["import { describeOnOneProxy } from './proxies.ts';", true],
  ["import { describeOnEachProxy, testProxies } from '../testkit/proxies.ts';", false],
  ["import { it } from 'vitest';\nconst sampled = 3;", false],
])('a test with %j is run by part "versions": %j', (text, expected) => {
  expect(isSampled(`import { join } from 'node:path';\n${text}\n`)).toBe(expected);
});

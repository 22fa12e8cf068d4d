import { expect, it } from 'vitest';
import { clock } from './story.ts';
import { Windows } from './windows.ts';

it('a late excuse applies from the start of the fault', () => {
  const windows = new Windows();
  const begun = clock();
  const window = windows.open({});
  expect(windows.excuse('traffic', begun, clock())).toBe(false);
  window.alsoExcuse({ traffic: true });
  expect(windows.excuse('traffic', begun, clock())).toBe(true);
  expect(windows.excuse('api', begun, clock())).toBe(false);
  window.close();
  expect(windows.excuse('traffic', clock() + 1_000, clock() + 1_001)).toBe(false);
});

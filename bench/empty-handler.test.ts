import { expect, it } from 'vitest';
import { launcherFlags } from './empty-handler.ts';

it("runs with the launcher's own flags of Node", () => {
  expect(launcherFlags().every((flag) => /^--[a-z-]+(=\S+)?$/.test(flag))).toBe(true);
});

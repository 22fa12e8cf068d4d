import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeFolder } from './host.ts';

it('has no home folder for a user without an entry in passwd, and starts', () => {
  // Switches to that user once everything is loaded: the checkout may be readable only by root.
  const script = `
    import { homeFolder } from ${JSON.stringify(join(import.meta.dirname, 'host.ts'))};
    process.setuid(54_321);
    process.stdout.write(String(homeFolder()));
  `;
  const withoutHome = { env: { PATH: process.env['PATH'] ?? '' }, cwd: '/', encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], withoutHome)).toBe('null');
});

it('has the home folder that the system reports', () => {
  expect(homeFolder(() => '/home/ann')).toBe('/home/ann');
  expect(homeFolder(() => '')).toBe(null);
  expect(() =>
    homeFolder(() => {
      throw new TypeError('no');
    }),
  ).toThrow('no');
});

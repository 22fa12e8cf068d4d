import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeFolder } from './home-folder.ts';

it('is none for a user whom nobody knows, and no reason not to start', () => {
  const script = `import { homeFolder } from ${JSON.stringify(join(import.meta.dirname, 'home-folder.ts'))}; process.stdout.write(String(homeFolder()));`;
  const asNobodyKnown = { env: { PATH: process.env['PATH'] ?? '' }, uid: 54_321, cwd: '/', encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], asNobodyKnown)).toBe('null');
});

it('is what the system says', () => {
  expect(homeFolder(() => '/home/ann')).toBe('/home/ann');
  expect(homeFolder(() => '')).toBe(null);
  expect(() =>
    homeFolder(() => {
      throw new TypeError('no');
    }),
  ).toThrow('no');
});

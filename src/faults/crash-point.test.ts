import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { armCrashPoint, crashPoint, crashPoints, crashVariable } from './crash-point.ts';

afterEach(() => {
  armCrashPoint(undefined);
});

describe('a crash point', () => {
  it('a crash point does nothing unless it is armed and was passed often enough', () => {
    expect([armCrashPoint(undefined), armCrashPoint('')]).toEqual([false, false]);
    for (const point of crashPoints) crashPoint(point);
    expect(armCrashPoint('group.committed:3')).toBe(true);
    for (const point of crashPoints) crashPoint(point);
    crashPoint('group.committed');
  });

  it('each one is passed somewhere', () => {
    const root = join(import.meta.dirname, '..');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('crash-point.ts'),
    );
    const code = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
    // Sets of one kind share their steps: `crashPoint(`trusted.${step}`)`.
    const isPassed = (point: string) =>
      code.includes(`'${point}'`) || code.includes(`crashPoint(\`${point.split('.')[0]}.\${`);
    expect(crashPoints.filter((point) => !isPassed(point))).toEqual([]);
  });

  it.each(['group.comitted', 'group.committed:0', 'group.committed:-1', 'group.committed:', ':1', 'toString'])(
    'refuses the crash point %s with a message that names the variable',
    (wanted) => {
      expect(() => armCrashPoint(wanted)).toThrow(`${crashVariable}=${wanted}: there is no such point`);
    },
  );

  it('an armed crash point ends the process without clean-up and prints its name', () => {
    const module = join(import.meta.dirname, 'crash-point.ts');
    const program = `
      const { armCrashPoint, crashPoint } = await import(${JSON.stringify(module)});
      process.on('exit', () => console.log('cleaned up'));
      armCrashPoint('group.committed:2');
      crashPoint('group.committed');
      console.log('once');
      crashPoint('group.committed');
      console.log('twice');`;
    const { signal, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect([signal, stdout, stderr]).toEqual(['SIGKILL', 'once\n', '{"killed_at":"group.committed"}\n']);
  });
});

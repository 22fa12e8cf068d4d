// What `npm run build` makes: bin/proxy-manager finds `dist/main.js` beside it.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

describeOnOneProxy('the program of npm run build', ({ bin }) => {
  let folder: string;
  let program: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'build-'));
    program = join(folder, 'bin/proxy-manager');
    for (const name of ['bin', 'package.json', 'package-lock.json', 'scripts/build', 'scripts/build.ts', 'src'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    for (const name of ['node_modules', 'panel']) symlinkSync(join(root, name), join(folder, name));
    await run('npm', ['run', '--silent', 'build'], {
      cwd: folder,
      env: { ...process.env, npm_config_update_notifier: 'false' },
    });
    // As an installed package.
    rmSync(join(folder, 'src'), { recursive: true });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('prints its version', async () => {
    const { stdout } = await run(program, ['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('serves and blocks without the sources', async () => {
    const service = await RealService.start({ bin, command: ([, ...words]) => [program, ...words] });
    try {
      await service.healthy();
      await service.block('127.0.0.9');
      expect(await service.visit('127.0.0.9')).toBe(403);
    } finally {
      await service.stop();
    }
  });
});

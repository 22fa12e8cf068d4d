// What `npm run build` makes: bin/proxy-manager finds `dist/main.js` beside it.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCache } from '../testkit/program.ts';
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
    for (const name of ['bin', 'package.json', 'package-lock.json', 'scripts', 'src'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    for (const name of ['node_modules', 'panel']) symlinkSync(join(root, name), join(folder, name));
    await run('npm', ['run', '--silent', 'build'], {
      cwd: folder,
      env: { ...process.env, npm_config_update_notifier: 'false' },
    });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('runs in the checkout that was built', async () => {
    const node = join(folder, 'node');
    writeFileSync(node, '#!/bin/sh\n[ "$1" = --version ] && { echo v24.0.0; exit; }\necho "$*"\n', { mode: 0o755 });
    const { stdout } = await run(program, ['status'], { env: { ...process.env, PROXY_MANAGER_NODE: node } });
    expect(stdout).toBe(`${join(folder, 'dist/main.js')} status\n`);
  });

  describe('as an installed package, without the sources', () => {
    beforeAll(() => rmSync(join(folder, 'src'), { recursive: true }));

    it('prints its version', async () => {
      const { stdout } = await run(program, ['--version'], {
        env: { ...process.env, NODE_COMPILE_CACHE: compileCache() },
      });
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    });

    it('serves and blocks', async () => {
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
});

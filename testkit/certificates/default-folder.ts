// For vitest: certificates/README.md says why. Without a C compiler each start of HAProxy before 3.4 takes 50 ms more.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

let isDone = false;

/** Every process that a test starts inherits the variable. */
export default function setup(): (() => void) | undefined {
  // Each project calls this.
  if (isDone) return undefined;
  isDone = true;
  const folder = mkdtempSync(join(tmpdir(), 'proxy-manager-test-certificates-'));
  // HAProxy of other users loads it too.
  chmodSync(folder, 0o755);
  const library = join(folder, 'default-folder.so');
  const source = join(import.meta.dirname, 'default-folder.c');
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source], { stdio: 'ignore' });
  if (status === 0) env['LD_PRELOAD'] = [env['LD_PRELOAD'], library].filter(Boolean).join(' ');
  return () => rmSync(folder, { recursive: true });
}

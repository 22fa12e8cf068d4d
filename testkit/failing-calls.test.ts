import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failCalls, mayTrace } from './failing-calls.ts';

/** Syncs files in all threads of the pool. */
const busy = `
const { open, fsync, close } = require('node:fs');
const again = (n) => open(process.argv[1] + '/' + n, 'w', (_, file) => fsync(file, () => close(file, () => again(n))));
for (let n = 0; n < 8; n++) again(n);
`;

it.runIf(mayTrace())('lets go of a process that is killed at the same moment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pm-traced-'));
  try {
    for (let times = 0; times < 10; times++) {
      const child = spawn(process.execPath, ['-e', busy, folder], { stdio: 'ignore' });
      const exited = once(child, 'exit');
      const failing = await failCalls(child.pid!, { calls: 'fdatasync,fsync', how: 'delay_exit=20000' });
      child.kill('SIGKILL');
      await failing.end();
      expect(await exited).toEqual([null, 'SIGKILL']);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

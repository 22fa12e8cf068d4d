// Opening files and sockets in a process without free descriptors.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

/** The result of `call` in a process whose last descriptor is taken before it. */
async function withoutDescriptors(module: string, call: string): Promise<string> {
  const script = `
    import { openSync } from 'node:fs';
    import * as tried from ${JSON.stringify(join(import.meta.dirname, module))};
    let left = true;
    while (left) {
      try { openSync('/dev/null'); }
      catch { left = false; }
    }
    try { await tried.${call}; console.log('done'); }
    catch (error) { console.log(error.name, error.reason ?? '', error.cause?.code ?? ''); }
    // An unhandled error event comes one turn of the event loop later.
    await new Promise((resolve) => setImmediate(resolve));
  `;
  const limited = ['--nofile=64:64', process.execPath, '--input-type=module', '-e', script];
  return (await run('prlimit', limited)).stdout.trim();
}

it('without file descriptors a configuration check fails and the service lives', async () => {
  expect(await withoutDescriptors('../process/binary.ts', "checkConfiguration('/bin/true', '/none')")).toBe(
    'ConfigurationCheckError  EMFILE',
  );
});

it('without file descriptors the workers cannot be identified, which does not blame HAProxy', async () => {
  const listed = JSON.stringify(
    '#<PID>          <type>          <reloads>       <uptime>        <version>\n' +
      '1               master          0               0d00h00m08s     2.6.12-1+deb12u4\n' +
      `# workers\n${process.pid}               worker          0               0d00h00m08s     2.6.12-1+deb12u4\n# programs\n`,
  );
  expect(await withoutDescriptors('../process/workers.ts', `processesFrom({ path: '/none' }, ${listed}, 0)`)).toBe(
    'MasterSocketError exhausted EMFILE',
  );
});

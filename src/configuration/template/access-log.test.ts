import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logSocketsIn, missingLogSocket } from './access-log.ts';

test('an access log whose socket is missing is named, and only such a one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pm-log-'));
  const socket = join(folder, 'log');
  const logTo = (target: string) => `frontend http\n    log ${target} len 2048 local0\n`;
  const missingIn = (text: string) => missingLogSocket(logSocketsIn(text));
  const server = createServer();
  try {
    expect(await missingIn(logTo(socket))).toBe(
      `the access log is lost: ${socket} is not a socket; start the syslog server, or change PROXY_MANAGER_ACCESS_LOG`,
    );
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await missingIn(logTo(file))).toContain(`${file} is not a socket`);
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    expect(await missingIn(logTo(socket))).toBeNull();
    for (const text of [logTo('127.0.0.1:514'), 'frontend http\n    log global\n', '']) {
      expect(await missingIn(text)).toBeNull();
    }
  } finally {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  }
});

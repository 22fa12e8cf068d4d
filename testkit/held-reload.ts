// A reload that stops where the test wants it: the new configuration names one more map after the blocked map, and that
// file is a FIFO. The process that reads the configuration (the master up to 3.0, the new worker from 3.1 on) has then
// read the blocked map and blocks on the FIFO.
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requestReload } from '../src/haproxy/process/reload-request.ts';
import type { ReloadReply } from '../src/haproxy/socket/replies.ts';
import { eventually, within } from './conditions.ts';
import type { RealProxy } from './real-proxy.ts';

export interface HeldReload {
  /** Lets the new worker start; resolves with the master's reply to the reload. */
  release(): Promise<ReloadReply>;
}

/** Resolves once the blocked map was read. */
export async function beginHeldReload(proxy: RealProxy): Promise<HeldReload> {
  const { config, folder } = proxy.paths;
  const fifo = join(folder, 'held.map');
  execFileSync('mkfifo', [fifo]);
  const before = await readFile(config, 'utf8');
  const held = `  http-request deny deny_status 500 if { src,map_ip(${fifo},0) -m int gt 0 }\n`;
  await writeFile(config, before.replace(/^( +http-request deny .*\n)/m, `$1${held}`));
  const reply = requestReload(proxy.socket, within(60_000));
  // Heard in `release`, which may be later than it fails.
  reply.catch(() => undefined);
  // Without a reader this fails with ENXIO.
  const writer = await eventually('the FIFO is read', () => open(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
  return {
    release: async () => {
      await writeFile(config, before);
      await writer.close();
      await rm(fifo);
      return await reply;
    },
  };
}

// A reload that stops at a FIFO: the new configuration names it as a map after the blocked map, so the process that
// reads it (the master up to 3.0, the new worker from 3.1 on) has read the blocked map and waits.
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requestReload } from '../src/haproxy/process/reload-triggers.ts';
import type { ReloadReply } from '../src/haproxy/socket/replies.ts';
import { eventually, patienceMs, within } from './conditions.ts';
import type { RealProxy } from './real-proxy.ts';

interface HeldReload {
  /** Lets the new worker start; resolves to the master's reply to the reload. */
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
  const reply = requestReload(proxy.socket, within(patienceMs));
  // Handled in `release`.
  reply.catch(() => undefined);
  // Fails with ENXIO without a reader.
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

// An edit made while HAProxy reads the configuration for a new worker.
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { frontEnd, head, rule, startAttached } from '../testkit/attached-service.ts';
import { eventually, untilPasses } from '../testkit/conditions.ts';
import { describeOnNewestProxy } from '../testkit/proxies.ts';

describeOnNewestProxy('an attached service', ({ bin }) => {
  test('does not count an edit as loaded that was made during the reload', async () => {
    const { service, proxy } = await startAttached({ bin });
    try {
      await service.block('127.0.0.9');
      const { config: path, prefix } = service.paths;
      const withRule = await readFile(path, 'utf8');
      // HAProxy stops at the FIFO, after it has read the file that names it.
      const fifo = join(prefix, 'held.map');
      execFileSync('mkfifo', [fifo]);
      const held = `  http-request deny deny_status 500 if { src,map_ip(${fifo},0) -m int gt 0 }`;
      // The map is still loaded, so nothing but the missing rule is wrong.
      const elsewhere = `backend other\n${rule(service.paths)}\n`;
      await writeFile(path, `${head}${frontEnd('web', service.proxyPort, held)}${elsewhere}`);
      const reloaded = proxy.reload(service);
      const writer = await eventually('the FIFO is read', () => open(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
      await writeFile(`${path}.new`, withRule);
      await rename(`${path}.new`, path);
      await writer.close();
      await reloaded;
      await rm(fifo);
      await untilPasses(async () => {
        const { body } = await service.health();
        expect(body).toMatchObject({ status: 'degraded', attached: { changed_since_load: true } });
        expect(body['reasons'].join('\n')).toMatch(/^configuration: .* its front ends cannot be checked/);
        expect(body['workers'].current.whole).toBe(true);
      });
      expect(await service.visit('127.0.0.9')).toBe(200);
      await proxy.reload(service);
      await service.healthy();
      expect(await service.visit('127.0.0.9')).toBe(403);
    } finally {
      await service.stop();
    }
  });
});

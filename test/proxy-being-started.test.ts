// Promise 5: a service that dies while its proxy reads its files leaves a master without pid file and socket. The next
// start must find it, or a second proxy would serve half of the requests.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { crashVariable } from '../src/faults/crash-point.ts';
import { childrenOf } from '../src/system/processes.ts';
import { eventually } from '../testkit/conditions.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnOneProxy('a proxy that is slow to start', ({ bin }) => {
  it('is adopted by the next start if its service died, and stays the only one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-slow-'));
    const slow = join(folder, 'haproxy');
    const gate = join(folder, 'gate');
    // A map of millions takes as long between the start of the process and its pid file.
    const wait = `-W) while [ ! -e '${gate}' ]; do sleep 0.1; done ;;`;
    await writeFile(slow, `#!/bin/sh\ncase "$1" in ${wait} esac\nexec '${bin}' "$@"\n`);
    await chmod(slow, 0o755);
    const service = await RealService.start({
      bin: slow,
      environment: { [crashVariable]: 'proxy.spawned' },
      waitUntilReady: false,
    });
    try {
      expect(await service.ended()).toMatchObject({ signal: 'SIGKILL' });
      const launched = service.launch({ [crashVariable]: '' });
      await eventually('the next service waits for it', async () =>
        (await service.logText()).includes('Waiting for a HAProxy that is already starting'),
      );
      await writeFile(gate, '');
      await launched;
      await service.healthy();
      const pids = await service.proxyPids();
      const workers = new Set((await Promise.all(pids.map(childrenOf))).flat());
      expect(pids.filter((pid) => !workers.has(pid))).toHaveLength(1);
      expect(await service.logText()).toContain('HAProxy adopted');
    } finally {
      await service.stop();
      await rm(folder, { recursive: true });
    }
  });
});

// A second service on the same files refuses to start and says why.
import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { holderOf } from '../src/supervision/lock-file.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { longTests, testProxies } from '../testkit/proxies.ts';
import { RealService, type ServiceOptions } from '../testkit/real-service.ts';
import { suspend } from '../testkit/suspend.ts';

// It stops before it uses HAProxy: one version is enough.
describe('a second service', () => {
  const bin = testProxies().found[0]?.bin ?? 'haproxy';
  const running: RealService[] = [];
  afterEach(async () => {
    for (const service of running.splice(0).reverse()) await service.stop();
  });
  async function started(options: Partial<ServiceOptions> = {}): Promise<RealService> {
    const service = await RealService.start({ bin, ...options });
    running.push(service);
    return service;
  }
  async function refused(options: Partial<ServiceOptions>): Promise<string> {
    const service = await started({ ...options, supervise: false, waitUntilReady: false });
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    return await readFile(service.paths.jsonLog, 'utf8');
  }

  it('with its own files but the first one’s database, map or folder of certificates is refused, and changes nothing', async () => {
    const tls = async () => ({ PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${await freePort()}` });
    const first = await started({ environment: await tls() });
    await first.block('127.1.0.1');
    const { database, blockedMap } = first.paths;
    const before = await readFile(blockedMap, 'utf8');
    const shared = { PROXY_MANAGER_DATABASE_URL: `sqlite:${database}` };
    const byDatabase = await refused({ environment: shared });
    expect(byDatabase).toMatch(
      new RegExp(
        `another proxy-manager works on the database ${database} already .*process ${first.pid} \\(proxy-manager\\) holds it`,
      ),
    );
    // Once in the log and once on standard error, not repeated as its own cause.
    expect(byDatabase.match(/another proxy-manager works/g)).toHaveLength(2);
    const linked = await refused({
      before: async (paths) => {
        await mkdir(dirname(paths.blockedMap), { recursive: true });
        await symlink(blockedMap, paths.blockedMap);
      },
    });
    expect(linked).toMatch(/another proxy-manager works on .*blocked_ips\.map already/);
    const tlsDir = join(dirname(blockedMap), 'tls');
    const byFolder = await refused({ environment: { ...(await tls()), PROXY_MANAGER_TLS_DIR: tlsDir } });
    expect(byFolder).toMatch(
      new RegExp(`another proxy-manager works on the certificates in ${tlsDir} already .*process ${first.pid} `),
    );
    // The lock is in the folder, and is replaced with it: src/tls/files.test.ts.
    if (longTests) {
      execFileSync('cp', ['-a', tlsDir, `${tlsDir}.new`]);
      // In a moment without the folder the service would make it again.
      await suspend(first.pid);
      try {
        renameSync(tlsDir, `${tlsDir}~`);
        renameSync(`${tlsDir}.new`, tlsDir);
      } finally {
        process.kill(first.pid, 'SIGCONT');
      }
      await eventually('the first service has the new lock', () => holderOf(join(tlsDir, '.tmp/lock')));
      expect(await refused({ environment: { ...(await tls()), PROXY_MANAGER_TLS_DIR: tlsDir } })).toContain(
        `another proxy-manager works on the certificates in ${tlsDir} already`,
      );
    }
    expect(await readFile(blockedMap, 'utf8')).toBe(before);
    await first.healthy();
    // Its locks end with the process.
    first.kill('SIGKILL');
    await first.ended();
    await first.launch();
    await first.healthy();
    expect(await first.visit('127.1.0.1')).toBe(403);
  });
});

// An unprivileged service attached to a HAProxy that root runs, with files that only root can read.
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getuid } from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { frontEnd, head, rule, startAttached } from '../testkit/attached-service.ts';
import { eventually } from '../testkit/conditions.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import type { RealService } from '../testkit/real-service.ts';
import { unprivilegedUser } from '../testkit/unprivileged.ts';

const folder = mkdtempSync(join(tmpdir(), 'pma-'));
await chmod(folder, 0o755);
const user = getuid?.() === 0 ? unprivilegedUser(folder) : null;
afterAll(() => rm(folder, { recursive: true, force: true }));

describeOnOneProxy('attached as a user without rights,', ({ bin }) => {
  if (user === null) {
    it.skip('needs to be run from root, with setpriv (util-linux)');
    return;
  }
  const { uid, program, node, command } = user;
  const start = async (socketOptions: string, environment: Record<string, string> = {}): Promise<RealService> => {
    const { service } = await startAttached({
      bin,
      socketOptions,
      environment: { PROXY_MANAGER_NODE: node, ...environment },
      command: () => command([program, 'serve']),
      config: (paths, port) =>
        `${head}  errorfile 503 ${paths.prefix}/secret.http\n${frontEnd('web', port, rule(paths))}`,
      before: async ({ prefix, blockedMap, trustedMap, stateDir, log }) => {
        await chmod(prefix, 0o755);
        await writeFile(join(prefix, 'secret.http'), 'HTTP/1.0 503 no\r\n\r\nsecret\n', { mode: 0o600 });
        mkdirSync(dirname(stateDir), { recursive: true });
        mkdirSync(stateDir, { mode: 0o700 });
        for (const path of [dirname(blockedMap), blockedMap, trustedMap, stateDir, dirname(log)]) {
          chownSync(path, uid, uid);
        }
      },
    });
    return service;
  };

  let service: RealService;
  beforeAll(async () => {
    service = await start(`,mode,660,gid,${uid}`);
  });
  afterAll(() => service?.stop());

  it('blocks, and reloads through the master without read access to all files of HAProxy', async () => {
    await service.healthy();
    expect((await service.block('127.0.0.9')).body).toMatchObject({ runtime_map_updated: true });
    expect(await service.visit('127.0.0.9')).toBe(403);
    const answer = await service.call('POST', '/api/config/reload');
    expect(answer.body).toMatchObject({ status: 'completed' });
    expect(answer.body['warnings']).toEqual([
      `only HAProxy itself checked the configuration: this service may not read ${service.paths.prefix}/secret.http`,
    ]);
    expect(await service.visit('127.0.0.9')).toBe(403);
    const check = await service.call('POST', '/api/config/validate');
    expect(check.body).toMatchObject({ status: 503, code: 6014 });
    expect(check.body['detail']).toContain('secret.http');
  });

  it('reports the errors beside what it may not read, when HAProxy refuses the configuration', async () => {
    const config = await readFile(service.paths.config, 'utf8');
    await writeFile(service.paths.config, `${config}\nnonsense here\n`);
    const check = await service.call('POST', '/api/config/validate');
    expect(check.body).toMatchObject({ status: 503, code: 6014 });
    expect(check.body['detail']).toMatch(/secret\.http \(HAProxy's check also reports: .*nonsense/);
    const answer = await service.call('POST', '/api/config/reload');
    expect(answer.body).toMatchObject({ status: 422, code: 5002 });
    expect(`${answer.body['detail']}`).toMatch(/\[ALERT\].*nonsense/);
    expect(await service.visit('127.0.0.9')).toBe(403);
    await writeFile(service.paths.config, config);
    expect((await service.call('POST', '/api/config/reload')).body).toMatchObject({ status: 'completed' });
  });

  it('reports a configuration that it cannot read as not checked', async () => {
    await chmod(service.paths.config, 0o600);
    const reason = `configuration: ${service.paths.config} cannot be read: EACCES`;
    await eventually('health says so', async () =>
      (await service.health()).body['reasons'].join('\n').includes(reason),
    );
    await chmod(service.paths.config, 0o644);
    await service.healthy();
  });

  it('creates no file beside the files of HAProxy', async () => {
    expect(await readFile(service.paths.config, 'utf8')).toContain('frontend web');
    await expect(readFile(`${service.paths.masterSocket}.lock`)).rejects.toThrow('ENOENT');
  });

  it('names a socket it cannot use and a unit it may not reload, with the fix', async () => {
    const other = await start(',mode,600', { PROXY_MANAGER_RELOAD_BY: 'systemd:haproxy.service' });
    try {
      const reasons = await eventually('health names the socket', async () => {
        const found = ((await other.health()).body['reasons'] as string[]).join('\n');
        return found.includes('master socket:') && found;
      });
      expect(reasons).toContain('the user of this service may not write to it');
      expect(reasons).toContain('-S PATH,mode,660,group,GROUP');
      expect(await readFile(other.paths.jsonLog, 'utf8')).toMatch(/may not write to it.*Blocks are not enforced/);
      const answer = await other.call('POST', '/api/config/reload');
      expect(answer.status).toBe(503);
      expect(answer.body['code']).toBe(6033);
    } finally {
      await other.stop();
    }
  });
});

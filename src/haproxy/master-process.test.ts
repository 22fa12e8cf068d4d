import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnEachProxy } from '../../testkit/proxies.ts';
import { RealProxy } from '../../testkit/real-proxy.ts';
import { findMaster, masterAt, runsConfiguration } from './master-process.ts';

describe('the words of a master', () => {
  it.each([
    ['as it was started', ['haproxy', '-W', '-S', '/tmp/s', '-f', '/etc/proxy.cfg'], true],
    ['as systemd starts it', ['haproxy', '-Ws', '-f', '/etc/proxy.cfg', '-p', '/run/p'], true],
    ['as it re-executes itself', ['haproxy', '-sf', '12', '-x', 'sockpair@5', '-W', '-f', '/etc/proxy.cfg'], true],
    ['with a path that means the same', ['haproxy', '-W', '-f', '/etc/x/../proxy.cfg'], true],
    ['of another configuration', ['haproxy', '-W', '-f', '/etc/other.cfg'], false],
    ['of a check', ['haproxy', '-c', '-f', '/etc/proxy.cfg'], false],
    ['of an editor', ['vi', '/etc/proxy.cfg'], false],
    ['cut short', ['haproxy', '-W', '-f'], false],
  ])('%s: %j', (_what, words, is) => {
    expect(runsConfiguration(words, '/etc/proxy.cfg')).toBe(is);
  });
});

describe('a pid file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-pid-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['of a stranger', String(process.pid)],
    ['of nobody', '4194303'],
    ['that is empty', ''],
    ['with words', 'haproxy'],
    ['with a group of processes', '-1'],
    ['with every process', '0'],
  ])('%s names no master: nobody is signalled', async (_what, content) => {
    const file = join(folder, 'proxy.pid');
    await writeFile(file, content);
    expect(await findMaster(file, '/etc/proxy.cfg')).toBeNull();
  });

  it('that is missing names none', async () => {
    expect(await findMaster(join(folder, 'absent'), '/etc/proxy.cfg')).toBeNull();
  });
});

describeOnEachProxy('a running master', ({ bin }) => {
  let proxy: RealProxy;
  beforeAll(async () => {
    proxy = await RealProxy.start(bin);
  });
  afterAll(() => proxy?.stop());

  it('is found, before and after a reload, and its worker is not taken for it', async () => {
    const { pidFile, config } = proxy.paths;
    const found = await findMaster(pidFile, config);
    expect(found?.pid).toBe(proxy.masterPid);
    await proxy.reload();
    expect(await findMaster(pidFile, config)).toEqual(found);
    expect(await findMaster(pidFile, '/etc/other.cfg')).toBeNull();
    expect(await masterAt(process.pid, config)).toBeNull();
  });
});

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { builtInTemplate } from '../src/configuration/builtin-template.ts';
import { describeOnProductProxies, isOnlyProxyFor } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { askProxy, startUpstream, type Upstream } from '../testkit/upstream.ts';

const good = builtInTemplate;
interface BackupItem {
  readonly id: string;
  readonly reason: string;
}

/** HAProxy refuses it. */
const refusedByProxy = good.replace('timeout client 60s', 'timeout client 60s\n    no-such-keyword here');
/** The template language refuses it, in line 3. */
const refusedByTemplate = good.replace('\n\n', '\n{{ no_such_variable }}\n');
const withoutRule = good.replace(/^ *http-request deny .*$/m, '    # no rule');

describeOnProductProxies('the configuration', ({ bin }) => {
  let folder: string;
  let template: string;
  let service: RealService;
  let upstream: Upstream;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-template-'));
    template = join(folder, 'proxy.liquid');
    await writeFile(template, good);
    upstream = await startUpstream('site');
    service = await RealService.start({ bin, environment: { PROXY_MANAGER_TEMPLATE: template } });
  });
  /** Promise 4, whatever a test did: what is live passes HAProxy's own check. */
  afterEach(() => {
    execFileSync(bin, ['-c', '-f', service.paths.config], { stdio: 'pipe' });
  });
  afterAll(async () => {
    await service?.stop();
    await upstream?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const live = () => readFile(service.paths.config, 'utf8');
  const reload = () => service.call('POST', '/api/config/reload');
  const backups = async (): Promise<BackupItem[]> => (await service.call('GET', '/api/config/backups')).body['items'];
  /** What the log gained while `work` ran, message by message. */
  const messagesOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = (await service.logText()).length;
    await work();
    const lines = (await service.logText()).slice(before).split('\n');
    return lines.map((line) => /^\S+ \S+ (.*?)( \w+=|$)/.exec(line)?.[1] ?? '');
  };
  const watched = (messages: readonly string[]): string[] =>
    messages.filter((message) =>
      /^(Configuration validation|Backup |Safe reload|The live configuration was)/.test(message),
    );

  it('is told as it is live, with its hash', async () => {
    const answer = await service.call('GET', '/api/config');
    expect(answer.body['text']).toBe(await live());
    expect(answer.body['sha256']).toBe(
      createHash('sha256')
        .update(await live())
        .digest('hex'),
    );
    expect(answer.body['path']).toBe(service.paths.config);
  });

  it('comes from the operator’s template at every reload, and the difference is told before', async () => {
    expect((await service.call('GET', '/api/config/diff')).body).toEqual({ changed: false, diff: '' });
    await writeFile(template, good.replace('timeout connect 5s', 'timeout connect 6s'));
    const { body } = await service.call('GET', '/api/config/diff');
    expect(body['changed']).toBe(true);
    expect(body['diff']).toMatch(
      /^--- .*proxy\.cfg.*\n\+\+\+ .*proxy\.cfg.*\n@@ -\d+,7 \+\d+,7 @@\n(?:.*\n)*- {4}timeout connect 5s\n\+ {4}timeout connect 6s\n/,
    );
    expect(await live()).toContain('timeout connect 5s');
    const done = await reload();
    expect(done.status).toBe(200);
    expect(done.body).toMatchObject({ status: 'completed', changed: true, warnings: [] });
    expect(done.body['worker_after']).toBe(await service.workerPid());
    expect(done.body['worker_before']).not.toBe(done.body['worker_after']);
    expect(await live()).toContain('timeout connect 6s');
    expect((await reload()).body).toMatchObject({ changed: false });
  });

  it('is validated without a trace', async () => {
    const footprint = async () => [
      await service.workerPid(),
      await live(),
      (await readdir(dirname(service.paths.config))).sort(),
      (await backups()).length,
    ];
    await writeFile(template, good);
    await reload();
    const before = await footprint();
    expect((await service.call('POST', '/api/config/validate')).body).toMatchObject({ valid: true });
    // A site in the template's own text changes the sites map's name: it has to be there for the check, and gone after.
    await writeFile(template, refusedByProxy);
    const refused = await service.call('POST', '/api/config/validate');
    expect(refused.status).toBe(200);
    expect(refused.body).toMatchObject({ valid: false });
    expect(refused.body['output']).toMatch(/proxy\.cfg:\d+\].*no-such-keyword/);
    expect(refused.body['output']).not.toContain('candidate');
    await writeFile(template, refusedByTemplate);
    const broken = await service.call('POST', '/api/config/validate');
    expect(broken.body).toMatchObject({ valid: false });
    expect(broken.body['output']).toMatch(/no_such_variable/);
    expect(await footprint()).toEqual(before);
  });

  it('keeps the sites map that the live one names through a validation that had to mend it', async () => {
    await writeFile(template, good);
    await reload();
    const [name] = /sites\.[0-9a-f]{16}\.map/.exec(await live()) ?? [];
    const map = join(dirname(service.paths.config), name!);
    await truncate(map, 0);
    expect((await service.call('POST', '/api/config/validate')).body).toMatchObject({ valid: true });
    expect(await readFile(map, 'utf8')).toContain('Generated by proxy-manager');
  });

  it.each([
    ['HAProxy', refusedByProxy, 5002, /proxy\.cfg:\d+\].*no-such-keyword/],
    ['the template language', refusedByTemplate, 5001, /no_such_variable/],
    ['the rule of the blocked map', withoutRule, 5003, /without the rule for the blocked map/],
  ])('that %s refuses changes nothing, is named, and the known good is reloaded', async (_who, text, code, output) => {
    await writeFile(template, good);
    await reload();
    const before = await live();
    await writeFile(template, text);
    let refused: Awaited<ReturnType<typeof reload>> | undefined;
    const messages = await messagesOf(async () => {
      refused = await reload();
    });
    await writeFile(template, good);
    expect(refused?.status).toBe(422);
    expect(refused?.body).toMatchObject({ code, restored: true, reasons: ['requested by _settings'] });
    expect(refused?.body['output']).toMatch(output);
    expect(refused?.body['worker_after']).toBe(await service.workerPid());
    expect(refused?.body['worker_after']).not.toBe(refused?.body['worker_before']);
    expect(await live()).toBe(before);
    expect(watched(messages)).toEqual(['Backup created', 'Configuration validation failed', 'Backup restored']);
    const record = await service.call('GET', `/api/config/reloads/${refused?.body['id']}`);
    expect(record.body).toMatchObject({ status: 'refused', reasons: ['requested by _settings'] });
    expect(record.body['validation_output']).toMatch(output);
    await service.healthy();
  });

  it('has a history, newest first and page by page', async () => {
    const done = await reload();
    const first = await service.call('GET', '/api/config/reloads?limit=1');
    expect(first.body['items']).toMatchObject([
      { id: done.body['id'], status: 'completed', reasons: ['requested by _settings'], backup: done.body['backup'] },
    ]);
    const second = await service.call('GET', `/api/config/reloads?limit=1&cursor=${first.body['next_cursor']}`);
    expect(second.body['items'][0].id < done.body['id']).toBe(true);
    expect((await service.call('GET', '/api/config/reloads?cursor=made-up')).status).toBe(400);
    expect((await service.call('GET', '/api/config/reloads/no-such')).status).toBe(404);
    expect((await service.call('GET', '/api/config/reloads/..%2f..%2fx')).status).toBe(400);
  });

  it('is backed up before every change, and a backup goes back through the same safe reload', async () => {
    await writeFile(template, good.replace('retries 3', 'retries 2'));
    const old = (await reload()).body;
    await writeFile(template, good);
    const changed = (await reload()).body;
    const backup = (await backups()).find(({ id }) => id === changed['backup']);
    expect(backup).toMatchObject({ reason: 'requested by _settings', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await live()).not.toContain('retries 2');
    const restored = await service.call('POST', `/api/config/backups/${changed['backup']}/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body).toMatchObject({
      status: 'completed',
      changed: true,
      reasons: [`backup ${changed['backup']} restored by _settings`],
    });
    expect(await live()).toContain('retries 2');
    expect(old['changed']).toBe(true);
    // A restore lasts until the next reload, which renders the template again.
    await reload();
    expect(await live()).not.toContain('retries 2');
    expect((await service.call('POST', '/api/config/backups/20200101T000000000Z-00000000/restore')).status).toBe(404);
    expect((await service.call('POST', '/api/config/backups/..%2f..%2fetc/restore')).status).toBe(400);
  });

  it('that was edited by hand is noticed, logged, and can be had back, sites and all', async () => {
    await writeFile(template, good);
    const site = (domain: string) =>
      service.call('PUT', `/api/sites/${domain}`, {
        body: { servers: [{ address: '127.0.0.1', port: upstream.port }] },
      });
    await site('first.example');
    const edited = `${await live()}# by hand\n`;
    await writeFile(service.paths.config, edited);
    let changed: Awaited<ReturnType<typeof reload>> | undefined;
    const messages = await messagesOf(async () => {
      changed = await site('second.example');
    });
    expect(watched(messages)).toEqual([
      'The live configuration was edited by hand; it is kept in the backup',
      'Backup created',
      'Configuration validation passed',
      'Safe reload completed',
    ]);
    expect(await live()).not.toContain('# by hand');
    // Two more changes, so that the sites map which the edited one names is collected.
    await site('third.example');
    await site('fourth.example');
    const id = changed?.body['reload'].backup;
    const restored = await service.call('POST', `/api/config/backups/${id}/restore`);
    expect(restored.body).toMatchObject({ status: 'completed' });
    expect(await live()).toBe(edited);
    expect(await askProxy(service.proxyPort, 'first.example')).toEqual({ status: 200, text: 'site' });
    expect((await askProxy(service.proxyPort, 'fourth.example')).status).toBe(404);
    await reload();
    expect((await askProxy(service.proxyPort, 'fourth.example')).status).toBe(200);
  });

  it('that is not UTF-8 is named, by the reload and by /health, and never overwritten', async () => {
    const before = await live();
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from('# Gr\xfc\xdfe\n', 'latin1')]);
    await writeFile(service.paths.config, bytes);
    const answer = await reload();
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ code: 6014, detail: expect.stringContaining('is not UTF-8') });
    const health = await service.health();
    expect(health.body['reasons']).toContainEqual(expect.stringContaining('is not UTF-8'));
    expect(await readFile(service.paths.config)).toEqual(bytes);
    await writeFile(service.paths.config, before);
    expect((await reload()).status).toBe(200);
  });

  it('that cannot be backed up is not changed: 503 with the reason', async () => {
    const before = await live();
    const { backupDir } = service.paths;
    const aside = `${backupDir}.aside`;
    execFileSync('mv', [backupDir, aside]);
    await writeFile(backupDir, 'a file in the place of the folder');
    const worker = await service.workerPid();
    const answer = await reload();
    await rm(backupDir);
    execFileSync('mv', [aside, backupDir]);
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ code: 6014, kind: 'Storage' });
    expect(await live()).toBe(before);
    expect(await service.workerPid()).toBe(worker);
  });

  const counts = isOnlyProxyFor(bin) ? it : () => undefined;
  counts('has at most twenty backups, the newest, however many reloads there were', async () => {
    await mkdir(service.paths.backupDir, { recursive: true });
    let newest = '';
    for (let turn = 0; turn < 6 || (await backups()).length < 20; turn += 1) newest = (await reload()).body['backup'];
    newest = (await reload()).body['backup'];
    const sets = (await readdir(service.paths.backupDir)).filter((name) => /^\d{8}T/.test(name));
    expect(sets).toHaveLength(20);
    expect(sets.sort().at(-1)).toBe(newest);
    expect((await backups())[0]?.id).toBe(newest);
  });
});

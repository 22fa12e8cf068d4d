import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { builtInTemplate } from '../src/configuration/template/builtin-template.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy, itInLongTests, sampled } from '../testkit/proxies.ts';
import { type JsonBody, RealService } from '../testkit/real-service.ts';
import { askProxy, startUpstream, type Upstream } from '../testkit/upstream.ts';

const good = builtInTemplate;
interface BackupItem {
  readonly id: string;
  readonly reason: string;
  readonly written_by: string;
}

/** HAProxy rejects it. */
const refusedByProxy = good.replace('timeout client 60s', 'timeout client 60s\n    no-such-keyword here');
/** The template language rejects it, in line 3. */
const refusedByTemplate = good.replace('\n\n', '\n{{ no_such_variable }}\n');
/** HAProxy accepts it with a warning; one front end serves blocked addresses. */
const withWarnings = (port: number) =>
  good.replace(
    '\nbackend welcome',
    `\nfrontend beside\n    bind 127.0.0.1:${port}\n    http-request return status 200\n    tcp-request content accept\n\nbackend welcome`,
  );
/** Valid, but the worker cannot bind: no interface here has this address. */
const unbindable = good.replace(
  'frontend http',
  'frontend elsewhere\n    bind 192.0.2.77:9090\n    http-request deny\n\nfrontend http',
);
/** An operator's own haproxy.cfg with the rule, without the exception for trusted addresses. */
const onlyTheRule = `${good.slice(0, good.indexOf('frontend http'))}frontend mine
{%- for bind in http_bind %}
    bind {{ bind }}
{%- endfor %}
    http-request deny deny_status 403 if { src,map_ip({{ blocked_map }},0) -m int gt 0 }
    http-request return status 200 content-type text/plain string mine
`;
/** The trusted map is used, but not for who is denied. */
const trustedElsewhere = onlyTheRule.replace(
  '    http-request return',
  '    http-request set-header x-office 1 if { src,map_ip({{ trusted_map }},0) -m int gt 0 }\n    http-request return',
);
const withoutRule = good.replace(/^ *http-request deny .*$/m, '    # no rule');

describeOnNewestProxy('the configuration', ({ bin }) => {
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
  /** Promise 4: the live configuration always passes HAProxy's own check. */
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
  const reloadWithConsent = () => service.call('POST', '/api/config/reload?replace_configuration=true');
  /** The comparison is ready later than `/health` answers on a busy machine. */
  const drift = async () => {
    let seen: JsonBody = {};
    await eventually('the drift is known', async () => {
      seen = (await service.health()).body['configuration_drift'];
      return seen['status'] !== 'unknown';
    });
    return seen;
  };
  const backups = async (): Promise<BackupItem[]> => (await service.call('GET', '/api/config/backups')).body['items'];
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

  /** Independent of the HAProxy version. */

  it('is returned as it is in effect, with its hash', async () => {
    const answer = await service.call('GET', '/api/config');
    expect(answer.body['text']).toBe(await live());
    expect(answer.body['sha256']).toBe(
      createHash('sha256')
        .update(await live())
        .digest('hex'),
    );
    expect(answer.body['path']).toBe(service.paths.config);
  });

  it('comes from the operator’s template at every reload, with the difference shown before', async () => {
    expect((await service.call('GET', '/api/config/diff')).body).toEqual({
      changed: false,
      diff: '',
      live: 'rendered',
      needs_replace_configuration: false,
    });
    expect(await drift()).toMatchObject({ status: 'none', live: 'rendered' });
    await writeFile(template, good.replace('timeout connect 5s', 'timeout connect 6s'));
    const { body } = await service.call('GET', '/api/config/diff');
    expect(body['changed']).toBe(true);
    expect(body['diff']).toMatch(
      /^--- .*proxy\.cfg.*\n\+\+\+ .*proxy\.cfg.*\n@@ -\d+,7 \+\d+,7 @@\n(?:.*\n)*- {4}timeout connect 5s\n\+ {4}timeout connect 6s\n/,
    );
    expect(await live()).toContain('timeout connect 5s');
    expect(await drift()).toEqual({
      status: 'drift',
      live: 'rendered',
      backup: null,
      added: 1,
      removed: 1,
      reason: null,
    });
    const done = await reload();
    expect(done.status).toBe(200);
    expect(done.body).toMatchObject({ status: 'completed', changed: true, warnings: [] });
    expect(done.body['worker_after']).toBe(await service.workerPid());
    expect(done.body['worker_before']).not.toBe(done.body['worker_after']);
    expect(await live()).toContain('timeout connect 6s');
    expect((await reload()).body).toMatchObject({ changed: false });
  });

  it('is validated without leaving a file or a change', async () => {
    const footprint = async () => [
      await service.workerPid(),
      await live(),
      (await readdir(dirname(service.paths.config))).sort(),
      (await backups()).length,
    ];
    await writeFile(template, good);
    await reload();
    const before = await footprint();
    expect((await service.call('POST', '/api/config/validate')).body).toMatchObject({
      valid: true,
      warnings: [],
      needs_replace_configuration: false,
    });
    // A site in the template's own text changes the sites map's name: the file must exist for the check only.
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

  it('keeps the sites map that the live one names when a validation repairs it', async () => {
    await writeFile(template, good);
    await reload();
    const [name] = /sites\.[0-9a-f]{16}\.map/.exec(await live()) ?? [];
    const map = join(dirname(service.paths.config), name!);
    await truncate(map, 0);
    expect((await service.call('POST', '/api/config/validate')).body).toMatchObject({ valid: true });
    expect(await readFile(map, 'utf8')).toContain('Generated by proxy-manager');
  });

  const refusals = [
    ['HAProxy', refusedByProxy, 5002, /proxy\.cfg:\d+\].*no-such-keyword/],
    ['the template language', refusedByTemplate, 5001, /no_such_variable/],
    ['the rule of the blocked map', withoutRule, 5003, /without the rule for the blocked map/],
  ] as const;
  // errors.test.ts has one of each.
  it.each(sampled(refusals, (_, at) => at === 0))(
    'that %s refuses changes nothing, is named, and the known good is reloaded',
    async (_who, text, code, output) => {
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
    },
  );

  it('is warned of by the dry run as by the reload itself', async () => {
    await writeFile(template, withWarnings(await freePort()));
    const { body } = await service.call('POST', '/api/config/validate');
    expect(body).toMatchObject({ valid: true, needs_replace_configuration: false });
    expect(body['warnings']).toContainEqual(expect.stringContaining('frontend beside has no rule'));
    expect(body['warnings']).toContainEqual(expect.stringMatching(/^HAProxy: .*tcp-request/));
    // Of a draining worker that takes long to exit on a busy machine, only the reload can warn.
    const ofConfiguration = ((await reload()).body['warnings'] as string[]).filter(
      (warning) => !/^draining worker \d+ was not verified/.test(warning),
    );
    expect(ofConfiguration).toEqual(body['warnings']);
    await writeFile(template, good);
    await reload();
  });

  it('that binds an address of another machine is rolled back with HAProxy’s own message', async () => {
    await writeFile(template, unbindable);
    const answer = await reload();
    await writeFile(template, good);
    expect(answer.body).toMatchObject({ status: 503, code: 6005, restored: true });
    expect(answer.body['detail']).toMatch(/cannot (bind|assign).*192\.0\.2\.77:9090/i);
    await service.healthy();
  });

  it('that serves no sites and has no exception for trusted addresses is reported as such', async () => {
    await writeFile(template, onlyTheRule);
    expect((await reload()).status).toBe(200);
    const servers = { servers: [{ address: '127.0.0.1', port: upstream.port }] };
    const site = await service.call('PUT', '/api/sites/nowhere.example', { body: servers });
    expect(site.body).toMatchObject({ served: false, reload: { changed: false } });
    const before = await service.workerPid();
    await service.block('127.0.0.9');
    const trusted = await service.call('PUT', '/api/trusted-ips/127.0.0.9', { body: {} });
    expect(trusted.body).toMatchObject({
      runtime_map_updated: false,
      reload_scheduled: false,
      runtime_map_failures: [{ reason: expect.stringContaining('does not use the trusted map') }],
    });
    // A reload could add nothing.
    await service.healthy();
    const { body: health } = await service.health();
    expect(health['trusted_map']).toEqual({ used: false, entries: 1 });
    expect(health['scheduled_reload']).toBeNull();
    expect(await service.check('127.0.0.9')).toMatchObject({ verdict: 'blocked', by: '127.0.0.9', enforced: true });
    expect(await service.workerPid()).toBe(before);
    // Loaded by another rule, the map holds the address and denies every client.
    await writeFile(template, trustedElsewhere);
    expect((await reload()).status).toBe(200);
    expect(await service.visit('127.0.0.9')).toBe(403);
    expect(await service.check('127.0.0.9')).toMatchObject({
      verdict: 'blocked',
      enforced: true,
    });
    expect((await service.health()).body['trusted_map']).toEqual({ used: false, entries: 1 });
    const again = await service.call('PUT', '/api/trusted-ips/127.0.0.9', { body: {} });
    expect(again.body).toMatchObject({ runtime_map_updated: true });
    // The configuration uses it again.
    await writeFile(template, good);
    expect((await reload()).body['warnings']).toEqual([]);
    expect(await service.check('127.0.0.9')).toMatchObject({ verdict: 'trusted', enforced: true });
    expect((await service.call('DELETE', '/api/trusted-ips/127.0.0.9')).body).toMatchObject({
      runtime_map_updated: true,
    });
    expect((await askProxy(service.proxyPort, 'nowhere.example')).status).toBe(200);
    await service.call('DELETE', '/api/sites/nowhere.example');
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

  it('is backed up before every change, and a backup is restored by the same safe reload', async () => {
    await writeFile(template, good.replace('retries 3', 'retries 2'));
    const old = (await reload()).body;
    await writeFile(template, good);
    const changed = (await reload()).body;
    const backup = (await backups()).find(({ id }) => id === changed['backup']);
    expect(backup).toMatchObject({ reason: 'requested by _settings', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await live()).not.toContain('retries 2');
    const { body: shown } = await service.call('GET', `/api/config/diff?backup=${changed['backup']}`);
    expect(shown).toMatchObject({ changed: true, live: 'rendered', needs_replace_configuration: false });
    expect(shown['diff']).toMatch(
      /^--- .*proxy\.cfg \(live\)\n\+\+\+ .*proxy\.cfg \(backup\)\n(?:.*\n)*- {4}retries 3\n\+ {4}retries 2\n/,
    );
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
    const same = await service.call('GET', `/api/config/diff?backup=${changed['backup']}`);
    expect(same.body).toMatchObject({ changed: false, diff: '', live: 'restored' });
    expect(await drift()).toMatchObject({ status: 'drift', live: 'restored', backup: changed['backup'], added: 1 });
    // It stays until a request allows the template to replace it: saving a site does not.
    expect((await reload()).body).toMatchObject({ status: 409, code: 6020 });
    const saved = await service.call('PUT', '/api/sites/saved.example', {
      body: { servers: [{ address: '127.0.0.1', port: upstream.port }] },
    });
    expect(saved.body).toMatchObject({ code: 6020, detail: expect.stringContaining('which was restored') });
    expect((await service.call('GET', '/api/sites/saved.example')).status).toBe(404);
    expect(await live()).toContain('retries 2');
    expect((await reloadWithConsent()).status).toBe(200);
    expect(await drift()).toMatchObject({ status: 'none', live: 'rendered' });
    expect(await live()).not.toContain('retries 2');
    expect((await service.call('GET', '/api/config/diff?backup=none')).body).toMatchObject({ status: 404, code: 1100 });
    expect((await service.call('GET', '/api/config/diff?backup=../x')).status).toBe(400);
    expect((await service.call('POST', '/api/config/backups/20200101T000000000Z-00000000/restore')).status).toBe(404);
    expect((await service.call('POST', '/api/config/backups/..%2f..%2fetc/restore')).status).toBe(400);
  });

  it('that was edited by hand is detected, logged, and can be restored with its sites', async () => {
    await writeFile(template, good);
    const site = (domain: string, query = '') =>
      service.call('PUT', `/api/sites/${domain}${query}`, {
        body: { servers: [{ address: '127.0.0.1', port: upstream.port }] },
      });
    await site('first.example');
    const edited = `${await live()}# by hand\n`;
    await writeFile(service.paths.config, edited);
    expect((await site('second.example')).body).toMatchObject({
      code: 6020,
      detail: expect.stringContaining('edited by hand'),
    });
    expect(await live()).toBe(edited);
    let changed: Awaited<ReturnType<typeof reload>> | undefined;
    const messages = await messagesOf(async () => {
      changed = await site('second.example', '?replace_configuration=true');
    });
    expect(watched(messages)).toEqual([
      'The live configuration was edited by hand; the backup keeps it',
      'Backup created',
      'Configuration validation passed',
      'Safe reload completed',
    ]);
    expect(await live()).not.toContain('# by hand');
    // Two more changes, so that the sites map which the edited file names is garbage.
    await site('third.example');
    await site('fourth.example');
    const id = changed?.body['reload'].backup;
    const restored = await service.call('POST', `/api/config/backups/${id}/restore`);
    expect(restored.body).toMatchObject({ status: 'completed' });
    expect(await live()).toBe(edited);
    expect(await askProxy(service.proxyPort, 'first.example')).toEqual({ status: 200, text: 'site' });
    expect((await askProxy(service.proxyPort, 'fourth.example')).status).toBe(404);
    await reloadWithConsent();
    expect((await askProxy(service.proxyPort, 'fourth.example')).status).toBe(200);
    const kept = (await backups()).find((one) => one.id === id);
    expect(kept).toMatchObject({ written_by: 'other' });
  });

  it('that is not UTF-8 is reported by the reload and /health, and never overwritten', async () => {
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

  it('that cannot be backed up is not changed, and the answer is 503 with the reason', async () => {
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

  // In parts: backup-store.test.ts.
  itInLongTests('keeps the last twenty different backups, and for ever those that it did not write', async () => {
    const ids = async (): Promise<string[]> =>
      (await readdir(service.paths.backupDir)).filter((name) => /^\d{8}T/.test(name)).sort();
    await writeFile(service.paths.config, `${await live()}# by hand\n`);
    await reloadWithConsent();
    const before = await ids();
    const ours = async () => (await backups()).filter(({ written_by }) => written_by === 'proxy-manager');
    await reload();
    const doubles = await ids();
    await reload();
    await reload();
    expect(await ids()).toEqual(doubles);
    let newest = '';
    let room = 2;
    for (let turn = 0; room > 0; turn += 1) {
      if ((await ours()).length === 20) room -= 1;
      await writeFile(template, good.replace('retries 3', `retries ${turn + 4}`));
      newest = (await reload()).body['backup'];
    }
    expect(await ours()).toHaveLength(20);
    expect((await backups())[0]?.id).toBe(newest);
    const others = (await backups()).filter(({ written_by }) => written_by === 'other').map(({ id }) => id);
    expect(before.filter((id) => others.includes(id))).toEqual(others.sort());
    expect(others.length).toBeGreaterThan(0);
  });
});

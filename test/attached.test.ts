// The service maintains the maps of the operator's HAProxy and writes nothing else.
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ageMs } from '../src/system/processes.ts';
import {
  type AttachedService,
  frontEnd,
  head,
  type OperatorsProxy,
  startAttached,
} from '../testkit/attached-service.ts';
import { eventually, untilPasses } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy } from '../testkit/proxies.ts';
import type { RealService } from '../testkit/real-service.ts';

describeOnNewestProxy('an attached service', ({ bin }) => {
  let attached: AttachedService;
  let service: RealService;
  let proxy: OperatorsProxy;
  let config: string;
  beforeAll(async () => {
    attached = await startAttached({ bin });
    ({ service, proxy } = attached);
    config = await readFile(service.paths.config, 'utf8');
  });
  afterAll(async () => {
    await service.stop();
  });

  /** HAProxy's start is known to a hundredth of a second: an edit within it would count as loaded. */
  const olderThanNextEdit = async (): Promise<void> => {
    const worker = await service.workerPid();
    await eventually('the worker is older than the next edit', async () => Number(await ageMs(worker)) > 100);
  };
  const reasons = async (): Promise<string[]> => (await service.health()).body['reasons'];

  test('enforces a block without a reload, and reports what it is attached to', async () => {
    await service.healthy();
    const worker = await service.workerPid();
    const blocked = await service.block('127.0.0.9');
    expect(blocked.body).toMatchObject({ runtime_map_updated: true, reload_scheduled: false });
    expect(await service.visit('127.0.0.9')).toBe(403);
    expect(await service.visit('127.0.0.8')).toBe(200);
    expect((await service.unblock('127.0.0.9')).status).toBe(200);
    expect(await service.visit('127.0.0.9')).toBe(200);
    expect(await service.workerPid()).toBe(worker);
    expect((await service.health()).body).toMatchObject({
      status: 'ok',
      configuration_drift: null,
      attached: {
        files: [service.paths.config],
        front_ends: [{ name: 'web', place: `${service.paths.config}:9`, mode: 'http', has_rule: true, open: false }],
        changed_since_load: false,
        reload_by: 'master',
      },
    });
  });

  test.each([
    ['GET', '/api/sites', undefined],
    ['PUT', '/api/sites/a.example', { servers: [{ address: '127.0.0.1', port: 80 }] }],
    ['DELETE', '/api/sites/a.example', undefined],
    ['GET', '/api/config', undefined],
    ['GET', '/api/config/diff', undefined],
    ['GET', '/api/config/backups', undefined],
    ['POST', '/api/config/backups/20261120T120000000Z-1a2b3c4d/restore', undefined],
    ['POST', '/api/config/reload?replace_configuration=true', undefined],
  ])('answers %s %s with 409 and how to switch', async (method, path, body) => {
    const answer = await service.call(method, path, body === undefined ? {} : { body });
    expect(answer.body).toMatchObject({ status: 409, code: 6034 });
    expect(answer.body['detail']).toMatch(/does not write/);
  });

  test('reloads the configuration without writing to it', async () => {
    const { mtimeMs, ino } = await stat(service.paths.config);
    expect((await service.call('POST', '/api/config/validate')).body).toMatchObject({ valid: true });
    const answer = await service.call('POST', '/api/config/reload');
    expect(answer.body).toMatchObject({ status: 'completed', changed: false, backup: null });
    expect(answer.body['worker_after']).not.toBe(answer.body['worker_before']);
    expect(await stat(service.paths.config)).toMatchObject({ mtimeMs, ino });
    const [last] = (await service.call('GET', '/api/config/reloads')).body['items'];
    expect(last).toMatchObject({ id: answer.body['id'], status: 'completed' });
    await service.healthy();
  });

  test('rejects a reload that HAProxy refuses, and keeps the old configuration running', async () => {
    const worker = await service.workerPid();
    await appendFile(service.paths.config, 'frontend broken\n  nonsense\n');
    const answer = await service.call('POST', '/api/config/reload');
    expect(answer.body).toMatchObject({ status: 422, code: 5002 });
    expect(answer.body['detail']).toContain('nonsense');
    expect(await service.workerPid()).toBe(worker);
    await writeFile(service.paths.config, config);
    await service.healthy();
  });

  test('compares the worker after a reload made by an operator', async () => {
    await service.block('127.0.0.7');
    await proxy.reload(service);
    await untilPasses(async () => expect((await service.health()).body['workers'].current.whole).toBe(true));
    expect(await service.visit('127.0.0.7')).toBe(403);
    await service.unblock('127.0.0.7');
  });

  test('warns of a front end without the rule from its reload on', async () => {
    const other = await freePort();
    await olderThanNextEdit();
    await writeFile(service.paths.config, `${config}${frontEnd('shop', other)}`);
    // The edit is not loaded yet, so nothing is wrong.
    const edited = (await service.health()).body;
    expect(edited).toMatchObject({ status: 'ok', attached: { changed_since_load: true } });
    expect(edited['attached'].front_ends).toHaveLength(1);
    await proxy.reload(service);
    const line = `front end shop (${service.paths.config}:14) has no rule for the blocked map, so blocked addresses are served there`;
    await untilPasses(async () => expect(await reasons()).toEqual([line]));
    await olderThanNextEdit();
    await writeFile(service.paths.config, config);
    expect(await reasons()).toEqual([line]);
    await proxy.reload(service);
    await service.healthy();
  });

  test('reports that blocks are not enforced while the rule is missing, schedules no reload, and recovers', async () => {
    await service.block('127.0.0.6');
    await writeFile(service.paths.config, `${head}${frontEnd('web', service.proxyPort)}`);
    await proxy.reload(service);
    await untilPasses(async () => {
      expect((await reasons()).join('\n')).toMatch(/front end web .* has no rule/);
      expect((await reasons()).join('\n')).toMatch(/current worker \d+: .*it has not loaded .*blocked_ips\.map/);
      // No reload could load the map, so none is made or scheduled.
      expect((await service.health()).body['scheduled_reload']).toBeNull();
    });
    const worker = await service.workerPid();
    const answer = await service.block('127.0.0.5');
    expect(answer.body).toMatchObject({ runtime_map_updated: false, reload_scheduled: false });
    expect(await service.workerPid()).toBe(worker);
    await writeFile(service.paths.config, config);
    // The author of an edit decides when it is loaded, whatever the worker lacks.
    const held = /was changed after HAProxy loaded it, so the service does not reload HAProxy/;
    await untilPasses(async () => expect((await reasons()).join('\n')).toMatch(held));
    expect((await service.block('127.0.0.3')).body).toMatchObject({ reload_scheduled: false });
    expect(await service.workerPid()).toBe(worker);
    expect((await service.call('POST', '/api/config/reload')).body).toMatchObject({ status: 'completed' });
    await service.healthy();
    for (const ip of ['127.0.0.3', '127.0.0.5', '127.0.0.6']) {
      expect(await service.visit(ip)).toBe(403);
      await service.unblock(ip);
    }
  });

  test('attaches again to a HAProxy that was restarted, or started without its master socket', async () => {
    await service.block('127.0.0.4');
    await proxy.stop();
    await proxy.launch({ withSocket: false });
    await eventually('health names the socket', async () => /^master socket:/m.test((await reasons()).join('\n')));
    expect(await service.visit('127.0.0.4')).toBe(403);
    await proxy.stop();
    await proxy.launch();
    await service.healthy();
    expect(await service.visit('127.0.0.4')).toBe(403);
  });
});

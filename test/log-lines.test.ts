// Item 7: the messages that operators watch for, in both logs, in the right order and only when they are true.
import { readFile, unlink } from 'node:fs/promises';
import { kill } from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, untilPasses } from '../testkit/conditions.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { type Answer, RealService } from '../testkit/real-service.ts';
import { suspend } from '../testkit/suspend.ts';

const watched = [
  'Backup created',
  'Backup restored',
  'Configuration validation passed',
  'Configuration validation failed',
  'Runtime map updated',
  'Safe reload completed',
];

interface Line {
  readonly msg: string;
  readonly time: string;
  readonly [field: string]: unknown;
}

/** The lines logged during `work`; both logs must agree. */
async function loggedBy(service: RealService, work: () => Promise<unknown>): Promise<Line[]> {
  const textFrom = (await service.logText()).length;
  const jsonFrom = (await readFile(service.paths.jsonLog, 'utf8')).length;
  await work();
  // A reload may log a line between the reads of the two files.
  return await untilPasses(async () => {
    const log = await readFile(service.paths.jsonLog, 'utf8');
    const texts = (await service.logText()).slice(textFrom).split('\n');
    const whole = log.slice(jsonFrom, log.lastIndexOf('\n') + 1).split('\n');
    const json = whole.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
    const lines = json.filter(({ msg }) => watched.includes(msg));
    const found = texts.map((line) => watched.find((message) => /^\S+Z [A-Z]+ /.test(line) && at(line, message)));
    expect(found.filter((message) => message !== undefined)).toEqual(lines.map(({ msg }) => msg));
    return lines;
  });
}

function at(line: string, message: string): boolean {
  const rest = line.slice(line.indexOf(' ', line.indexOf(' ') + 1) + 1);
  return rest === message || rest.startsWith(`${message} `);
}

const messages = (lines: readonly Line[]): string[] => lines.map(({ msg }) => msg);

describeOnOneProxy('the log', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
    await service.healthy();
  });
  afterAll(() => service.stop());

  async function one(operation: string, call: () => Promise<Answer>, more: object = {}): Promise<void> {
    let answer: Answer | undefined;
    const lines = await loggedBy(service, async () => {
      answer = await call();
    });
    expect(answer?.status).toBeLessThan(300);
    expect(messages(lines)).toEqual(['Runtime map updated']);
    expect(lines[0]).toMatchObject({ operation, request_id: answer?.headers['x-request-id'], ...more });
  }

  it('reports an update of the runtime map once per operation, with its address', async () => {
    await one('block', () => service.block('127.0.7.1'), { ip_address: '127.0.7.1', key: '_settings' });
    await one('block', () => service.block('127.0.7.1'), { ip_address: '127.0.7.1' });
    await one('unblock', () => service.unblock('127.0.7.1'), { ip_address: '127.0.7.1', key: '_settings' });
    const batch = { add: ['127.0.7.2', '127.0.7.3', '127.0.7.4'], remove: [] };
    await one('batch', () => service.call('POST', '/api/blocked-ips/batch', { body: batch }), { added: 3 });
    const list = { raw: '127.0.7.2\n127.0.7.5\n', contentType: 'text/plain' };
    await one('replace', () => service.call('PUT', '/api/blocked-ips', list), { added: 1, removed: 2 });
    await one('sync', () => service.call('POST', '/api/blocked-ips/sync'));
  });

  it('reports each of ten blocks in one group once', async () => {
    const ips = Array.from({ length: 10 }, (_, index) => `127.0.8.${index + 1}`);
    const lines = await loggedBy(service, () => Promise.all(ips.map((ip) => service.block(ip))));
    expect(lines.map(({ msg, ip_address: ip }) => `${msg} ${ip}`).sort()).toEqual(
      ips.map((ip) => `Runtime map updated ${ip}`).sort(),
    );
  });

  it('reports an expiry after the entry was verified as removed', async () => {
    const lines = await loggedBy(service, async () => {
      await service.block('127.0.7.9', { duration_seconds: 1 });
      await eventually('the operation is logged', async () => (await service.logText()).includes('operation=expire'));
    });
    expect(lines.map(({ msg, operation }) => `${msg} ${operation}`)).toEqual([
      'Runtime map updated block',
      'Runtime map updated expire',
    ]);
    expect(await service.runningMap()).not.toContain('127.0.7.9 1');
  });

  it('reports no update for refused operations and for operations without effect', async () => {
    const lines = await loggedBy(service, async () => {
      expect((await service.block('127.0.7.300')).status).toBe(400);
      expect((await service.call('POST', '/api/blocked-ips/batch', { body: { add: ['x'], remove: [] } })).status).toBe(
        200,
      );
    });
    expect(lines).toEqual([]);
  });

  it('reports no update while the master socket is missing, and reports the reload that follows', async () => {
    const { master } = await service.processes();
    const lines = await loggedBy(service, async () => {
      await suspend(master.pid);
      await unlink(service.paths.masterSocket);
      expect((await service.block('127.0.7.20')).status).toBe(201);
      expect((await service.unblock('127.0.7.2')).status).toBe(200);
      const batch = { add: ['127.0.7.21', '127.0.7.22'], remove: ['127.0.8.1'] };
      expect((await service.call('POST', '/api/blocked-ips/batch', { body: batch })).status).toBe(200);
      const same = { raw: (await service.listed()).join('\n'), contentType: 'text/plain' };
      expect((await service.call('PUT', '/api/blocked-ips', same)).status).toBe(200);
      expect((await service.call('POST', '/api/blocked-ips/sync')).status).toBe(207);
      kill(master.pid, 'SIGCONT');
      await service.healthy();
    });
    // Not "Runtime map updated".
    expect(messages(lines)).toEqual(['Backup created', 'Configuration validation passed', 'Safe reload completed']);
    const log = await readFile(service.paths.jsonLog, 'utf8');
    const done = log.split('\n').find((line) => line.includes('Operation done') && line.includes('127.0.7.20'));
    expect(JSON.parse(done ?? '{}')).toMatchObject({
      operation: 'block',
      ip_address: '127.0.7.20',
      key: '_settings',
      request_id: expect.any(String),
      runtime_map_updated: false,
      runtime_map_failures: [{ ip_address: '127.0.7.20' }],
      runtime_map_failures_total: 1,
    });
  });

  it('reports a safe reload from its backup to its end', async () => {
    let answer: Answer | undefined;
    const lines = await loggedBy(service, async () => {
      answer = await service.call('POST', '/api/config/reload');
    });
    expect(messages(lines)).toEqual(['Backup created', 'Configuration validation passed', 'Safe reload completed']);
    expect(lines.map(({ reload }) => reload)).toEqual(Array(3).fill(answer?.body['id']));
    expect(lines[0]).toMatchObject({ backup: expect.stringMatching(/^\d{8}T/) });
    expect(lines[2]).toMatchObject({ backup: answer?.body['backup'], worker_after: await service.workerPid() });
  });
});

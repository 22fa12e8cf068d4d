// A broken configuration delays no block, the live file is always a proved one, and the sites keep answering.
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInTemplate } from '../src/configuration/template/builtin-template.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy, sampled } from '../testkit/proxies.ts';
import { RealService, type ServicePaths } from '../testkit/real-service.ts';

const template = (paths: ServicePaths): string => join(paths.prefix, 'own-template.cfg');

async function startWithTemplate(bin: string): Promise<RealService> {
  const environment: Record<string, string> = {};
  return await RealService.start({
    bin,
    environment,
    before: async (paths) => {
      environment['PROXY_MANAGER_TEMPLATE'] = template(paths);
      // The configuration names it; the service does not write it.
      await writeFile(join(paths.prefix, 'sorry.http'), 'HTTP/1.0 503 Sorry\r\n\r\n');
      await writeFile(template(paths), goodTemplate(paths));
    },
  });
}

const goodTemplate = (paths: ServicePaths): string =>
  builtInTemplate.replace('    mode http\n', `    mode http\n    errorfile 503 ${join(paths.prefix, 'sorry.http')}\n`);

/** Keeps every answer other than 200. The pauses leave the processor to the reload. */
function requestContinuously(service: RealService): { stop(): Promise<{ asked: number; wrong: (number | string)[] }> } {
  const client = service.keepAliveClient('127.0.0.1');
  const wrong: (number | string)[] = [];
  let asked = 0;
  let stopped = false;
  const ask = async (visit: () => Promise<number>): Promise<void> => {
    while (!stopped) {
      const status = await visit().catch((error: Error) => error.message);
      asked += 1;
      if (status !== 200) wrong.push(status);
      await pause(3);
    }
  };
  const asking = Promise.all([ask(() => client.visit()), ask(() => service.visit('127.0.0.1'))]);
  return {
    async stop() {
      stopped = true;
      await asking;
      client.close();
      return { asked, wrong };
    },
  };
}

interface Broken {
  readonly name: string;
  readonly text: (paths: ServicePaths) => string;
  readonly code: number;
  readonly says: RegExp;
}

const maxconnLine = builtInTemplate.split('{{ maxconn }}')[0]!.split('\n').length;

const broken: readonly Broken[] = [
  {
    name: 'a template with an error of its own',
    text: (paths) => goodTemplate(paths).replace('{{ maxconn }}', '{{ maxconn | }'),
    code: 5001,
    says: new RegExp(`own-template.cfg: line ${maxconnLine}:`),
  },
  {
    name: 'a template with an unknown variable',
    text: (paths) => goodTemplate(paths).replace('{{ maxconn }}', '{{ max_conn }}'),
    code: 5001,
    says: /max_conn/,
  },
  {
    name: 'a configuration that HAProxy refuses',
    text: (paths) => goodTemplate(paths).replace('    maxconn {{ maxconn }}', '    maxcon {{ maxconn }}'),
    code: 5002,
    says: new RegExp(`proxy\\.cfg:${maxconnLine}\\].*'maxcon'`),
  },
  {
    name: 'a configuration without the blocked-map rule',
    text: (paths) => goodTemplate(paths).replace(/ {4}http-request deny .*\n/, ''),
    code: 5003,
    says: /blocked/,
  },
];

/** Both errors of a template are found before HAProxy is asked. */
const chosen = sampled(broken, ({ name }) => name !== 'a template with an unknown variable');

async function reloads(service: RealService): Promise<{ id: string; status: string; reasons: string[] }[]> {
  return (await service.call('GET', '/api/config/reloads')).body['items'];
}

/** The operators' messages of the manager log, in order. */
async function watched(service: RealService, from: number): Promise<string[]> {
  const messages =
    /^\S+ \w+ (Backup created|Backup restored|Configuration validation (?:passed|failed)|Safe reload completed)/;
  const lines = (await service.logText()).slice(from).split('\n');
  return lines.map((line) => messages.exec(line)?.[1]).filter((message) => message !== undefined);
}

describeOnNewestProxy('with a template of the operator,', ({ bin }) => {
  let service: RealService;
  let port: number;
  let holder: Server;
  beforeAll(async () => {
    service = await startWithTemplate(bin);
    await service.healthy();
    port = await freePort();
    holder = createServer();
    await new Promise<void>((resolve) => holder.listen({ port, host: '127.0.0.1', exclusive: true }, resolve));
  });
  afterAll(async () => {
    await service.stop();
    await new Promise((resolve) => holder.close(resolve));
  });
  const binding = (): string =>
    goodTemplate(service.paths).replace('frontend http\n', `frontend http\n    bind 127.0.0.1:${port}\n`);

  describe('a block that waits for a reload', () => {
    it.each(chosen)('is enforced although the change is $name', async (change) => {
      const earlier = (await reloads(service)).length;
      const before = await readFile(service.paths.config);
      const worker = await service.workerPid();
      const logFrom = (await service.logText()).length;
      const asking = requestContinuously(service);
      await writeFile(template(service.paths), change.text(service.paths));
      await unlink(service.paths.masterSocket);
      const block = await service.block('127.0.5.5');
      expect(block).toMatchObject({ status: 201, body: { runtime_map_updated: false, reload_scheduled: true } });
      const answer = await service.call('POST', '/api/config/reload');
      expect(answer).toMatchObject({
        status: 422,
        body: {
          code: change.code,
          restored: true,
          output: expect.stringMatching(change.says),
          worker_before: expect.any(Number),
          worker_after: expect.any(Number),
        },
      });
      expect(answer.body['detail']).toMatch(change.says);
      expect(await service.visit('127.0.5.5')).toBe(403);
      expect(await readFile(service.paths.config)).toEqual(before);
      await service.healthy();
      expect(await service.workerPid()).not.toBe(worker);
      expect(await service.runningMap()).toEqual(['127.0.5.5 1']);
      const { asked, wrong } = await asking.stop();
      expect({ wrong, some: asked > 20 }).toEqual({ wrong: [], some: true });
      const messages = await watched(service, logFrom);
      const refused = ['Backup created', 'Configuration validation failed', 'Backup restored'];
      // The scheduled reload of the live configuration may come before the requested one, never after it.
      const completed = ['Backup created', 'Configuration validation passed', 'Safe reload completed'];
      expect([refused, [...completed, ...refused]]).toContainEqual(messages);
      expect((await reloads(service))[0]).toMatchObject({ id: answer.body['id'], status: 'refused' });
      expect(await reloads(service)).toHaveLength(earlier + messages.length / refused.length);
      await service.unblock('127.0.5.5');
      await writeFile(template(service.paths), goodTemplate(service.paths));
    });
  });

  describe('a reload', () => {
    it('is shared by requests that arrive while one runs', async () => {
      const earlier = (await reloads(service)).length;
      const answers = await Promise.all(Array.from({ length: 10 }, () => service.call('POST', '/api/config/reload')));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const ids = new Set(answers.map(({ body }) => body['id']));
      expect(ids.size).toBeLessThanOrEqual(2);
      const all = await reloads(service);
      expect(
        all
          .slice(0, all.length - earlier)
          .map(({ id }) => id)
          .sort(),
      ).toEqual([...ids].sort());
      for (const { body } of answers) {
        expect(body['worker_after']).toEqual(expect.any(Number));
        expect(body['worker_after']).not.toBe(body['worker_before']);
      }
    });

    it('that fails in HAProxy with a valid configuration is answered with 503 and rolled back', async () => {
      const before = await readFile(service.paths.config);
      const worker = await service.workerPid();
      await writeFile(
        template(service.paths),
        goodTemplate(service.paths).replace(
          'frontend http\n',
          `frontend http\n    bind ${service.paths.prefix}/none/http.sock\n`,
        ),
      );
      const answer = await service.call('POST', '/api/config/reload');
      expect(answer).toMatchObject({
        status: 503,
        body: { code: 6005, restored: true, worker_before: worker, worker_after: expect.any(Number) },
      });
      expect(await readFile(service.paths.config)).toEqual(before);
      expect(answer.body['worker_after']).toBe(await service.workerPid());
      expect(await service.visit('127.0.0.1')).toBe(200);
      await service.healthy();
    });

    it('without a free port is answered with 503 and rolled back, and fails no client', async () => {
      const before = await readFile(service.paths.config);
      const worker = await service.workerPid();
      const logFrom = (await service.logText()).length;
      const asking = requestContinuously(service);
      await writeFile(template(service.paths), binding());
      const answer = await service.call('POST', '/api/config/reload');
      const { asked, wrong } = await asking.stop();
      expect(answer).toMatchObject({
        status: 503,
        body: { code: 6005, restored: true, worker_before: worker, worker_after: expect.any(Number) },
      });
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      expect(answer.body['detail']).toContain('the last known good configuration is back in force');
      expect({ wrong, some: asked > 20 }).toEqual({ wrong: [], some: true });
      expect(await readFile(service.paths.config)).toEqual(before);
      expect(answer.body['worker_after']).toBe(await service.workerPid());
      expect(await watched(service, logFrom)).toEqual([
        'Backup created',
        'Configuration validation passed',
        'Backup restored',
      ]);
      await service.healthy();
    });

    it('whose rollback fails too reports both causes, and the old worker serves', async () => {
      const before = await readFile(service.paths.config);
      await service.block('127.0.6.6');
      const worker = await service.workerPid();
      const sorry = join(service.paths.prefix, 'sorry.http');
      const kept = await readFile(sorry);
      await unlink(sorry);
      // A file that only the known good configuration names is gone, and the reload of the new one fails.
      await writeFile(template(service.paths), binding().replace(/ {4}errorfile .*\n/, ''));
      const asking = requestContinuously(service);
      const answer = await service.call('POST', '/api/config/reload');
      const { asked, wrong } = await asking.stop();
      expect(answer).toMatchObject({ status: 503, body: { code: 6005, worker_before: worker, worker_after: worker } });
      expect(answer.body['detail']).toMatch(/the reload was not confirmed: .*known good configuration failed too/s);
      expect(answer.body['restore_failure']).toMatch(/\w/);
      expect({ wrong, some: asked > 20 }).toEqual({ wrong: [], some: true });
      expect(await service.visit('127.0.6.6')).toBe(403);
      expect(await readFile(service.paths.config)).toEqual(before);
      const log = await service.logText();
      expect(log).toContain('Restored configuration was not confirmed');

      await writeFile(sorry, kept);
      await writeFile(template(service.paths), goodTemplate(service.paths));
      expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
      await eventually('all is well', async () => (await service.health()).status === 200);
      expect(await service.visit('127.0.6.6')).toBe(403);
    });
  });
});

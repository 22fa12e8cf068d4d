// Certificates of the complete product: from an upload to what a TLS client sees, through deaths, reloads and damage.
import { chmod, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../src/api/operations.ts';
import { temporaryFolder } from '../testkit/blocking.ts';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnOneProxy, longTests } from '../testkit/proxies.ts';
import { type JsonBody, RealService, type ServicePaths } from '../testkit/real-service.ts';
import { keyShown } from '../testkit/secret-parts.ts';
import { type MadeCertificate, madeCertificate, servedSha1 } from '../testkit/tls/made-certificate.ts';

const folderOf = ({ prefix }: ServicePaths): string => join(prefix, 'etc/proxy/tls');
const secretOf = ({ stateDir }: ServicePaths): string => join(stateDir, 'secret');
const uploadOf = ({ certificate, privateKey }: MadeCertificate) => ({ certificate, private_key: privateKey });

/** All that the service or HAProxy wrote, backups and database among it, except the files with the keys. */
async function writtenBy(service: RealService): Promise<string> {
  const keys = folderOf(service.paths);
  const entries = await readdir(service.paths.prefix, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.startsWith(keys));
  const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
  return texts.join('\n');
}

async function environmentsOf(service: RealService): Promise<string> {
  const texts: string[] = [];
  for (const pid of [service.pid, ...(await service.proxyPids())]) {
    for (const name of ['cmdline', 'environ']) texts.push(await readFile(`/proc/${pid}/${name}`, 'latin1'));
  }
  return texts.join('\n');
}

/** What HAProxy answers about a certificate and its configuration, in the master and at the socket for statistics. */
async function shownByProxy(service: RealService, file: string): Promise<string> {
  const list = join(folderOf(service.paths), 'certificates.list');
  const ofWorker = [`show ssl cert ${file}`, 'show ssl cert', `show ssl crt-list -n ${list}`, 'show info', 'show stat'];
  const answers = await service.raw('show startup-logs', ...ofWorker.map((command) => `@1 ${command}`));
  expect(answers.join('\n')).toContain(`Filename: ${file}`);
  const { statsSocket } = service.paths;
  const commands = [...ofWorker, `dump ssl cert ${file}`, 'show env', 'show startup-logs'];
  const conversations = await Promise.all(
    commands.map(async (command) => {
      const socket = createConnection(statsSocket);
      socket.end(`${command}\n`);
      return await text(socket);
    }),
  );
  return [...answers, ...conversations].join('\n');
}

/** All that the API answers to reads, and `config show`. */
async function readFrom(service: RealService, id: string): Promise<string> {
  const reads = operations.filter(({ method, params }) => method === 'GET' && params === undefined);
  // The stream of events does not end; what it sent is in the database.
  const paths = reads.map(({ path }) => path).filter((path) => path !== '/api/events');
  const texts: string[] = [];
  for (const path of [...paths, `/api/certificates/${id}`, `/api/certificates/${id}/chain`]) {
    texts.push((await service.call('GET', path)).text);
  }
  const { out } = await new CommandLineUser(service).run(['config', 'show']);
  expect(out).toContain('secret_file = ');
  return [...texts, out].join('\n');
}

/**
 * HAProxy, but each check of a configuration damages the file that `FOLDER/damaged` names and refuses it, unless it is a
 * link; a check of certificates alone refuses it and its copies. The service may write it again meanwhile.
 */
async function damagingProxy(bin: string, folder: string): Promise<string> {
  const path = join(folder, 'haproxy');
  const script = `#!/bin/sh
file=$(cat ${folder}/damaged 2>&-)
refused=
for last in "$@"; do :; done
case "$file: $* " in
  :*) ;;
  *' -c '*/check-*) refused="$file $(echo "$(dirname "$last")"/*.pem)" ;;
  *' -c '*) [ -L "$file" ] || { refused=$file; printf damaged >"$file"; } ;;
esac
for one in $refused; do echo "[ALERT]    (1) : config : unable to load certificate from file '$one'." >&2; done
[ -z "$refused" ] || exit 1
exec ${bin} "$@"
`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

describeOnOneProxy('certificates', ({ bin }) => {
  let service: RealService;
  let tools: Awaited<ReturnType<typeof temporaryFolder>>;
  let port: number;
  let id: string;
  const answers: string[] = [];
  const made: MadeCertificate[] = [];

  beforeAll(async () => {
    port = await freePort();
    tools = await temporaryFolder();
    service = await RealService.start({
      bin: await damagingProxy(bin, tools.path),
      environment: { PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${port},[::1]:${port}` },
      // Modes must not depend on it.
      command: (words) => ['/bin/sh', '-c', 'umask 0; exec "$@"', 'sh', ...words],
    });
  });

  afterAll(async () => {
    await service?.stop();
    await tools.remove();
  });

  const create = (names: readonly string[]): MadeCertificate => {
    const one = madeCertificate(names);
    made.push(one);
    return one;
  };
  const call = async (method: string, path: string, one?: MadeCertificate): Promise<JsonBody> => {
    const answer = await service.call(method, path, one === undefined ? {} : { body: uploadOf(one) });
    answers.push(answer.text);
    return { ...answer.body, answered: answer.status };
  };
  const served = async (name: string): Promise<string | null> => await servedSha1(port, name);
  const restart = async (meanwhile: () => Promise<void>): Promise<void> => {
    service.kill('SIGKILL');
    await service.ended();
    await meanwhile();
    await service.launch();
  };

  it('are served as soon as the upload is answered, without a reload', async () => {
    const worker = await service.workerPid();
    const byDefault = await served('shop.example.com');
    expect(byDefault).toMatch(/^[0-9A-F]{40}$/);
    const one = create(['shop.example.com', '*.example.org']);
    const answer = await call('POST', '/api/certificates', one);
    expect(answer).toMatchObject({
      answered: 201,
      names: one.names,
      runtime_updated: true,
      files: 'durable',
      handshake: 'seen',
      reload_scheduled: false,
      workers: [{ pid: worker, role: 'current', holds: true }],
    });
    id = answer['id'];
    const connections = Array.from({ length: 100 }, async (_, at) => {
      const name = ['shop.example.com', 'any.example.org', 'unknown.example', ''][at % 4]!;
      const [host, protocol] = [['127.0.0.1', '::1'][(at >> 2) % 2]!, ['h2', 'http/1.1'][(at >> 3) % 2]!];
      const sha1 = await servedSha1(port, name, { host, protocol });
      return [name, sha1 === one.sha1 ? 'own' : sha1 === byDefault ? 'default' : sha1].join(' ');
    });
    expect(new Set(await Promise.all(connections))).toEqual(
      new Set(['shop.example.com own', 'any.example.org own', 'unknown.example default', ' default']),
    );
    expect(await service.workerPid()).toBe(worker);
  });

  // Before the first reload, so that no other one has to be waited for.
  it('of which HAProxy refuses one delay no block that needs a reload', async () => {
    const own = made.at(-1)!;
    const torn = madeCertificate(['torn.example.net']);
    const { id } = (await service.call('POST', '/api/certificates', { body: uploadOf(torn) })).body;
    const worker = await service.workerPid();
    await writeFile(join(tools.path, 'damaged'), join(folderOf(service.paths), `${id}.pem`));
    await unlink(service.paths.masterSocket);
    const block = await service.block('127.0.5.5');
    expect(block).toMatchObject({ status: 201, body: { runtime_map_updated: false, reload_scheduled: true } });
    await eventually('the block is enforced', async () => (await service.visit('127.0.5.5')) === 403);
    const reloads = await eventually('the reload is done', async () => {
      const { items } = (await service.call('GET', '/api/config/reloads')).body;
      return items.length > 0 && (items as { status: string }[]);
    });
    expect(reloads.map(({ status }) => status)).toEqual(['completed']);
    expect(await service.workerPid()).not.toBe(worker);
    expect(await served('shop.example.com')).toBe(own.sha1);
    const { reasons } = (await service.health()).body;
    expect(reasons).toEqual(expect.arrayContaining([expect.stringContaining(`HAProxy refuses certificate ${id}`)]));
    await rm(join(tools.path, 'damaged'));
    // As health says; the next complete comparison heals it too.
    const renewed = madeCertificate(['torn.example.net']);
    if (!longTests) await service.call('PUT', `/api/certificates/${id}`, { body: uploadOf(renewed) });
    await service.healthy();
    expect(await served('torn.example.net')).toBe(longTests ? torn.sha1 : renewed.sha1);
    const file = await readFile(join(folderOf(service.paths), `${id}.pem`), 'utf8');
    expect(file).toContain((longTests ? torn : renewed).certificate);
    expect(await service.call('DELETE', `/api/certificates/${id}`)).toMatchObject({ status: 200 });
  });

  it('have files for the user of the service alone', async () => {
    const folder = folderOf(service.paths);
    const modes = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modes(folder)).toBe('700');
    expect((await readdir(folder)).toSorted()).toEqual(['.tmp', `${id}.pem`, 'certificates.list', 'default.pem']);
    for (const name of [`${id}.pem`, 'certificates.list', 'default.pem']) {
      expect(await modes(join(folder, name))).toBe('600');
    }
    expect(await modes(secretOf(service.paths))).toBe('600');
  });

  it('are replaced in draining workers too', async () => {
    const client = service.keepAliveClient('127.0.0.1');
    await client.visit();
    await service.call('POST', '/api/config/reload');
    const renewed = create(['shop.example.com', '*.example.org']);
    const answer = await call('PUT', `/api/certificates/${id}`, renewed);
    expect(answer).toMatchObject({ answered: 200, version: 2, runtime_updated: true, reload_scheduled: false });
    expect(answer['workers']).toMatchObject([
      { role: 'current', holds: true },
      { role: 'draining', holds: true },
    ]);
    expect(await served('shop.example.com')).toBe(renewed.sha1);
    client.close();
  });

  it('are served from their files while the secret is missing, and health asks for it', async () => {
    const secret = secretOf(service.paths);
    await restart(() => rename(secret, `${secret}~`));
    try {
      await service.call('POST', '/api/config/reload');
      expect(await served('shop.example.com')).toBe(made.at(-1)!.sha1);
      const { reasons } = (await service.health()).body;
      expect(reasons).toEqual(expect.arrayContaining([expect.stringContaining(`the secret ${secret} is missing`)]));
      const other = madeCertificate(['other.example']);
      // The last one is the one that is served.
      made.splice(-1, 0, other);
      expect(await call('POST', '/api/certificates', other)).toMatchObject({ answered: 503 });
    } finally {
      await rename(`${secret}~`, secret);
    }
  });

  // It also starts the service after the test before.
  it('are served after a death of the service, and after a reload, although their files are gone', async () => {
    const last = made.at(-1)!;
    await restart(() => rm(join(folderOf(service.paths), `${id}.pem`)));
    expect(await served('shop.example.com')).toBe(last.sha1);
    expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
    expect(await served('shop.example.com')).toBe(last.sha1);
    await service.healthy();
  });

  it('that are damaged on disk delay no reload', async () => {
    const folder = folderOf(service.paths);
    for (const name of [`${id}.pem`, 'certificates.list', 'default.pem']) {
      await writeFile(join(folder, name), 'damaged');
      const reload = await service.call('POST', '/api/config/reload');
      expect(reload.body).toMatchObject({ status: 'completed' });
      expect(await served('shop.example.com')).toBe(made.at(-1)!.sha1);
    }
    expect(await readFile(join(folder, 'default.pem.refused'), 'utf8')).toBe('damaged');
    await rm(join(folder, 'default.pem.refused'));
    await service.healthy();
  });

  it('are gone after a removal', async () => {
    expect(await call('DELETE', `/api/certificates/${id}`)).toMatchObject({ answered: 200, runtime_updated: true });
    expect(await served('shop.example.com')).not.toBe(made.at(-1)!.sha1);
    expect(await readdir(folderOf(service.paths))).not.toContain(`${id}.pem`);
    await service.call('POST', '/api/config/reload');
    await service.healthy();
  });

  it('show no private key outside their folder', async () => {
    const { id: shown } = await call('POST', '/api/certificates', create(['shown.example']));
    // With a backup of before.
    await service.call('POST', '/api/config/reload');
    const refused = create(['refused.example']);
    for (const body of [
      { ...uploadOf(refused), private_key: refused.privateKey.slice(0, 60) + refused.privateKey.slice(61) },
      { certificate: refused.privateKey },
      { ...uploadOf(refused), private_key: made[0]!.privateKey },
      { private_key: refused.privateKey },
    ]) {
      const answer = await service.call('POST', '/api/certificates', { body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      answers.push(answer.text);
    }
    answers.push(await readFrom(service, shown));
    answers.push(await shownByProxy(service, join(folderOf(service.paths), `${shown}.pem`)));
    expect((await readdir(service.paths.backupDir)).length).toBeGreaterThan(0);
    const all = [await writtenBy(service), await environmentsOf(service), ...answers].join('\n');
    expect(made.length).toBeGreaterThan(4);
    for (const { privateKey } of made) expect(keyShown(privateKey, all)).toEqual([]);
  });

  it('in a folder that every user may read stop the start, which says what to do', async () => {
    const folder = folderOf(service.paths);
    service.kill('SIGKILL');
    await service.ended();
    await chmod(folder, 0o755);
    await writeFile(service.paths.jsonLog, '');
    await service.launch().catch(() => undefined);
    const { code } = await service.ended();
    expect(code).not.toBe(0);
    const log = await readFile(service.paths.jsonLog, 'utf8');
    expect(log).toContain(`every user may use the folder ${folder}`);
    expect(log).toContain('chmod 700');
    // HAProxy serves on.
    expect(await served('a.example')).not.toBeNull();
  });
});

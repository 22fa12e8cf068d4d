// One power failure: restores what is left of the disk, checks it as HAProxy would find it, and starts the service on
// it.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readMapFile } from '../../src/haproxy/map-file/map-file.ts';
import { checkConfiguration } from '../../src/haproxy/process/binary.ts';
import { Random } from '../random.ts';
import type { Loss } from './disk.ts';
import { contradictions, type Expected, expectedAfter } from './expected.ts';
import { heldBefore, killProxies, type Recording } from './recording.ts';
import { leaveAfter, type Player } from './write-log.ts';

const losses: readonly Loss[] = ['all', 'nothing', 'in order', 'anything', 'anything', 'anything'];

export interface PowerFailure {
  /** Number of finished calls. */
  readonly at: number;
  readonly loss: Loss;
  readonly seed: number;
}

export function chooseFailures(recording: Recording, random: Random, count: number): PowerFailure[] {
  const answers = recording.log.answers().map(({ at }) => at + 1);
  const moments = recording.log.moments().map((at) => at + 1);
  const failures = Array.from({ length: count }, () => ({
    // Right after an answer, where a missing sync matters most.
    at: random.pick(random.next() < 0.4 && answers.length > 0 ? answers : moments),
    loss: random.pick(losses),
    seed: random.integer(0, 0x7fff_ffff),
  }));
  return failures.sort((one, other) => one.at - other.at);
}

/** @param player at or before the moment of the failure @returns broken promises */
export async function fail(
  recording: Recording,
  player: Player,
  bin: string,
  failure: PowerFailure,
): Promise<string[]> {
  const { service, log, operations } = recording;
  const { prefix } = service.paths;
  const acknowledged = new Set(log.answers().flatMap(({ id, at }) => (at < failure.at ? [id] : [])));
  const expected = expectedAfter(operations, acknowledged);
  for (const name of await readdir(prefix)) await rm(join(prefix, name), { recursive: true, force: true });
  player.playTo(failure.at);
  leaveAfter(player.disk, prefix, failure.loss, new Random(failure.seed));
  // After a boot, folders for sockets and pid files are empty.
  for (const folder of ['tmp', 'var/run', 'var/log']) await mkdir(join(prefix, folder), { recursive: true });
  const wrong: string[] = [];
  try {
    wrong.push(...(await asTheProxyFindsIt(recording, bin, expected, acknowledged.size > 0)));
    wrong.push(...(await asTheServiceMakesIt(recording, bin, expected, acknowledged.size > 0)));
  } finally {
    service.kill('SIGKILL');
    await service.ended();
    await killProxies(service);
  }
  return wrong;
}

/** At boot HAProxy may start before the service. */
async function asTheProxyFindsIt(
  { service: { paths } }: Recording,
  bin: string,
  expected: Expected,
  served: boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  const blocked = new Set<string>();
  for await (const lines of readMapFile(paths.blockedMap)) {
    for (const line of lines) if (line.kind === 'entry' && line.value === '1') blocked.add(line.key);
  }
  if (!served)
    return heldBefore.filter((ip) => !blocked.has(ip)).map((ip) => `map file before the start: ${ip} is gone`);
  wrong.push(...contradictions(expected, blocked).map((what) => `map file before the start: ${what}`));
  const check = await checkConfiguration(bin, paths.config);
  if (!check.valid) wrong.push(`HAProxy refuses what is left of its configuration: ${check.output}`);
  return wrong;
}

async function asTheServiceMakesIt(
  recording: Recording,
  bin: string,
  expected: Expected,
  served: boolean,
): Promise<string[]> {
  const { service } = recording;
  try {
    await service.launch({ PROXY_MANAGER_NODE: process.execPath });
  } catch (error) {
    return [
      `the service does not start: ${(await service.logText().catch(() => '')).split('\n').slice(-4).join('\n')} ${(error as Error).message.slice(-600)}`,
    ];
  }
  const wrong: string[] = [];
  const key = (await readFile(join(service.paths.stateDir, 'api-key'), 'utf8')).trim();
  if (served && key !== recording.key) wrong.push('the key of the clients has changed');
  service.key = served ? recording.key : key;
  const health = await service.health();
  if (health.status === 401) return [...wrong, 'the key of the clients is refused'];
  if (health.body['status'] !== 'ok') {
    await service.healthy().catch(() => wrong.push(`health: ${health.text}`));
  }
  const listed = new Set(await service.listed());
  wrong.push(...contradictions(expected, listed).map((what) => `database: ${what}`));
  const lines = [...listed]
    .map((ip) => `${ip} 1`)
    .sort()
    .join('\n');
  if ((await service.fileEntries()).sort().join('\n') !== lines)
    wrong.push('the map file is not what the database says');
  if ((await service.runningMap()).sort().join('\n') !== lines)
    wrong.push('the running map is not what the database says');
  const check = await checkConfiguration(bin, service.paths.config);
  if (!check.valid) wrong.push(`the live configuration is refused: ${check.output}`);
  const certain = [...expected].filter(([, allowed]) => allowed.size === 1);
  for (const [ip, allowed] of certain.filter(([ip]) => !ip.includes('/')).slice(-6)) {
    const status = await service.visit(ip);
    if (status !== (allowed.has(true) ? 403 : 200)) wrong.push(`a visit from ${ip} gets ${status}`);
  }
  return wrong;
}

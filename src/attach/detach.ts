// `detach`: removes what `attach` created. HAProxy continues unchanged; the database, the maps and the user stay.
import { join, resolve } from 'node:path';
import type { Health as HealthReport } from '../api/health.ts';
import { configLines } from '../configuration/rules/config-lines.ts';
import {
  configurationFilesOf,
  UnreadableConfiguration,
  workFolderOfProxy,
} from '../haproxy/process/configuration-files.ts';
import { findRunningProxies, type RunningProxy } from '../haproxy/process/running-proxy.ts';
import type { Settings } from '../settings.ts';
import { processAlive } from '../system/processes.ts';
import type { Operator } from './attach.ts';
import { CannotAttach } from './facts.ts';
import type { Host } from './host.ts';
import { ownSettings } from './own-settings.ts';
import { fingerprint, readRecord, recordFile, writeRecord } from './record.ts';
import { ServiceCommand } from './service-command.ts';
import { packagedUnit, paths, serviceUnit, succeed } from './steps.ts';
import { noTlsOfItsOwn } from './texts.ts';

interface DetachOptions {
  readonly dryRun: boolean;
  /** Also if a configuration cannot be read. */
  readonly yes: boolean;
  readonly root: string;
}

/**
 * @throws CannotAttach while a configuration names the maps or cannot be read, or a worker has them loaded: without the
 * service, their entries would stay blocked for ever
 */
export async function detach(host: Host, operator: Operator, options: DetachOptions): Promise<void> {
  const { dryRun, root } = options;
  const record = await readRecord(host);
  const { files, imported } = record;
  const dropIn = await host.readText(paths.serviceDropIn);
  if (dropIn === null && Object.keys(files).length === 0) {
    await operator.print('Nothing is attached here.');
    return;
  }
  const settings = await ownSettings(host, [await packagedUnit(host, root), noTlsOfItsOwn, dropIn ?? '']);
  const attached = record.configuration ?? (dropIn === null ? [] : [settings.configFile]);
  await refuseWhileNamed(attached, settings, operator, options);
  await refuseWhileLoaded(new ServiceCommand({ host, root, settings }), operator);
  const edited: string[] = [];
  let remove: string[] = [];
  for (const [path, written] of Object.entries(files)) {
    const isOurs = path === paths.command ? await leadsTo(host, path, root) : await isUnedited(host, path, written);
    if (isOurs === null) continue;
    if (isOurs) remove.push(path);
    else edited.push(path);
  }
  // An edited file keeps the drop-in that names it: only that puts the operator's changes into effect.
  const keeps = (path: string): boolean =>
    path.endsWith('/proxy-manager.conf') && edited.includes(paths.haproxyVariables);
  const kept = remove.filter(keeps);
  remove = remove.filter((path) => !keeps(path));
  for (const path of edited) await operator.print(`left ${path} as it is: it was edited after attach wrote it`);
  for (const path of kept) await operator.print(`left ${path} as it is: it names ${paths.haproxyVariables}`);
  if (dryRun) {
    await operator.print(`detach would stop ${serviceUnit} and remove`, ...remove.map((path) => `  ${path}`));
    await operator.print('This was a dry run: nothing was changed.');
    return;
  }
  // An interrupted run already removed the unit.
  if (await host.exists(paths.unit)) await succeed(host, 'systemctl', 'disable', '--now', serviceUnit);
  for (const path of remove) {
    await host.remove(path);
    await operator.print(`removed ${path}`);
  }
  for (const folder of remove.map((path) => path.slice(0, path.lastIndexOf('/')))) {
    if (folder.endsWith('.service.d')) await host.remove(folder);
  }
  await succeed(host, 'systemctl', 'daemon-reload');
  // The imports stay recorded: another attach must not block again what was unblocked.
  if (imported.length > 0) await writeRecord(host, { files: {}, imported });
  else {
    await host.remove(recordFile);
    await host.remove(recordFile.slice(0, recordFile.lastIndexOf('/')));
  }
  await operator.print(
    'Detached. HAProxy keeps running.',
    ...(remove.includes(paths.haproxyVariables)
      ? ['Its master socket stays open to the group until HAProxy is restarted.']
      : []),
    `The blocked addresses stay in /var/lib/proxy-manager and ${paths.folder}, as does the user proxy-manager.`,
  );
}

/** Null: it does not exist. */
async function isUnedited(host: Host, path: string, written: string): Promise<boolean | null> {
  const text = await host.readText(path);
  return text === null ? null : fingerprint(text) === written;
}

/** A link to the program; any other command of that name is foreign. Null: there is none. */
async function leadsTo(host: Host, path: string, root: string): Promise<boolean | null> {
  if (!(await host.exists(path))) return null;
  const { output } = await host.run('readlink', '--', path);
  return output.trim() === join(root, 'bin/proxy-manager');
}

/** The lines are gone from the files, but a worker still denies by what it loaded before. */
async function refuseWhileLoaded(service: ServiceCommand, operator: Operator): Promise<void> {
  const health = await healthOf(service);
  if (health === null || health.master_socket.status !== 'ok') {
    await operator.print(
      'The service cannot query HAProxy, so it is not known whether HAProxy still has the lists loaded.',
    );
    return;
  }
  if (health.runtime_map.seen === null) return;
  throw new CannotAttach(
    'HAProxy still has the lists loaded, although its configuration no longer names them: reload it, and run this again',
  );
}

/** Null: the service does not answer. */
async function healthOf(service: ServiceCommand): Promise<HealthReport | null> {
  try {
    return await service.health();
  } catch (error) {
    if (error instanceof CannotAttach) return null;
    throw error;
  }
}

/**
 * In the configuration of every HAProxy that runs, and of the attached one if it is down: its next start would load the
 * maps again.
 * @param attached files and folders that the attached HAProxy was started with
 */
async function refuseWhileNamed(
  attached: readonly string[],
  { blockedMap, trustedMap, upstreamsMap, proxyProtocolMap }: Settings,
  operator: Operator,
  { yes }: DetachOptions,
): Promise<void> {
  const maps = [blockedMap, trustedMap, upstreamsMap, proxyProtocolMap];
  const names = new Map<string, RunningProxy[]>();
  for (const proxy of await findRunningProxies()) {
    for (const name of await namesOf(proxy)) names.set(name, [...(names.get(name) ?? []), proxy]);
  }
  if (attached[0] === undefined || !names.has(attached[0])) for (const name of attached) names.set(name, []);
  const used = new Set<string>();
  const places: string[] = [];
  const unreadable: string[] = [];
  for (const [name, proxies] of names) {
    try {
      for (const { path, text } of await configurationFilesOf({ files: [name], workFolder: null, pid: null })) {
        for (const { number, words } of configLines(text)) {
          const named = maps.filter((map) => words.some((word) => word.includes(map)));
          for (const map of named) used.add(map);
          if (named.length > 0) places.push(`${path}:${number}`);
        }
      }
    } catch (error) {
      if (!(error instanceof UnreadableConfiguration)) throw error;
      if (!attached.includes(name) && (await haveEnded(proxies))) continue;
      unreadable.push(error.message);
    }
  }
  if (places.length > 0) {
    throw new CannotAttach(
      `the configuration of HAProxy still uses ${[...used].join(' or ')}: ${places.join(', ')}. Remove these lines, reload HAProxy if it runs, and run detach again`,
    );
  }
  if (unreadable.length === 0) return;
  const unknown = `${unreadable.join('; ')}, so it is not known whether HAProxy still uses ${blockedMap}`;
  if (!yes) throw new CannotAttach(`${unknown}. If it does not, run detach --yes`);
  await operator.print(unknown);
}

/** Meanwhile: their files may have gone with them. */
async function haveEnded(proxies: readonly RunningProxy[]): Promise<boolean> {
  const alive = await Promise.all(proxies.map(({ pid, startTime }) => processAlive(pid, startTime)));
  return !alive.includes(true);
}

async function namesOf({ arguments: args, pid }: RunningProxy): Promise<string[]> {
  const workFolder = await workFolderOfProxy({ ...args, pid });
  return args.files.map((name) => resolve(workFolder, name));
}

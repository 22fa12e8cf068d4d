// The state of this machine before any change: the running HAProxy, its unit, configuration and master socket.
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type FrontEnd,
  frontEndsOf,
  mapsNamedIn,
  type OldRule,
  oldRulesIn,
} from '../configuration/rules/front-ends.ts';
import type { ConfigurationFile } from '../configuration/rules/proxy-sections.ts';
import { isMissing } from '../files/atomic-file.ts';
import { configurationFilesOf, workFolderOfProxy } from '../haproxy/process/configuration-files.ts';
import { capabilitiesOf, readProxyVersion } from '../haproxy/process/proxy-version.ts';
import { findRunningProxies, type RunningProxy } from '../haproxy/process/running-proxy.ts';
import { environment } from '../system/processes.ts';
import type { Host } from './host.ts';
import { type Maps, user } from './texts.ts';

/** The message says why and what to do. */
export class CannotAttach extends Error {
  override readonly name = 'CannotAttach';
}

export interface Facts {
  readonly proxy: RunningProxy;
  readonly version: string;
  readonly files: readonly string[];
  /** The files and folders that it was started with, as absolute paths. */
  readonly configuration: readonly string[];
  /** The same files with their texts. */
  readonly texts: readonly ConfigurationFile[];
  readonly frontEnds: readonly FrontEnd[];
  readonly oldRules: readonly OldRule[];
  /** The lists that the configuration names, but that do not exist: HAProxy does not start with it. */
  readonly missingLists: readonly string[];
  readonly socket: MasterSocketFacts;
}

interface MasterSocketFacts {
  readonly path: string;
  /** Whether the service's user may use it. */
  readonly usable: boolean;
  /** The arguments that its unit passes by EXTRAOPTS; null: none, or they need quoting. */
  readonly extraOptions: string | null;
}

const usualConfigFile = '/etc/haproxy/haproxy.cfg';
const usualSocket = '/run/haproxy-master.sock';

/**
 * @param configFile which HAProxy is meant, if several run; null: the only one
 * @throws CannotAttach, UnreadableConfiguration
 */
export async function readFacts(host: Host, configFile: string | null, maps: Maps): Promise<Facts> {
  const proxy = await chosenProxy(host, configFile, maps);
  refuseUnusualPaths(proxy);
  const version = await readProxyVersion(proxy.exe);
  if (!capabilitiesOf(version).masterSocket)
    throw new CannotAttach(`HAProxy ${version.text} has no master socket: 1.9 is the first that has one`);
  const files = await configurationFilesOf({ ...proxy.arguments, pid: proxy.pid });
  const workFolder = await workFolderOfProxy({ ...proxy.arguments, pid: proxy.pid });
  return {
    proxy,
    version: version.text,
    configuration: proxy.arguments.files.map((name) => resolve(workFolder, name)),
    files: files.map(({ path }) => path),
    texts: files,
    frontEnds: frontEndsOf(files, maps),
    oldRules: oldRulesIn(files, maps),
    missingLists: await missingListsOf(files, maps),
    socket: await socketFacts(host, proxy),
  };
}

/** They go into units of systemd. @throws CannotAttach */
function refuseUnusualPaths({ exe, arguments: { files, pidFile, masterSocket } }: RunningProxy): void {
  for (const path of [exe, files[0], pidFile, masterSocket]) {
    if (typeof path === 'string' && !/^[A-Za-z0-9._/+@=,-]+$/.test(path))
      throw new CannotAttach(
        `HAProxy runs with ${JSON.stringify(path)}, which has characters with a special meaning in a systemd unit`,
      );
  }
}

async function missingListsOf(files: readonly ConfigurationFile[], maps: Maps): Promise<string[]> {
  const named = mapsNamedIn(files).filter((path) => path === maps.blockedMap || path === maps.trustedMap);
  const missing: string[] = [];
  for (const path of named) {
    try {
      await access(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      missing.push(path);
    }
  }
  return missing;
}

async function chosenProxy(host: Host, configFile: string | null, maps: Maps): Promise<RunningProxy> {
  const proxies = await findRunningProxies();
  const meant = proxies.filter(({ arguments: { files } }) => configFile === null || files.includes(configFile));
  const [proxy, ...others] = meant;
  if (proxy === undefined) {
    const which = configFile === null ? 'no HAProxy runs here' : `no HAProxy runs here with ${configFile}`;
    const path = configFile ?? usualConfigFile;
    const text = (await host.readText(path)) ?? '';
    const [missing] = await missingListsOf([{ path, text }], maps);
    throw new CannotAttach(
      missing === undefined
        ? `${which}: start it first (systemctl start haproxy)`
        : `${which}. ${path} names ${missing}, which does not exist, so HAProxy cannot start: remove the lines that name it, start HAProxy (systemctl start haproxy), run attach again, and paste the lines when it asks for them`,
    );
  }
  if (others.length > 0) {
    const files = meant.map(({ arguments: { files } }) => files.join(' ')).join(', ');
    throw new CannotAttach(`several HAProxy processes run here (${files}): choose one with --config FILE`);
  }
  if (!proxy.arguments.isMaster)
    throw new CannotAttach(
      `HAProxy ${proxy.pid} runs without a master process, so its workers cannot be followed: start it with -Ws (or -W) and -S SOCKET`,
    );
  return proxy;
}

async function socketFacts(host: Host, { pid, arguments: args, unit }: RunningProxy): Promise<MasterSocketFacts> {
  const path = args.masterSocket ?? usualSocket;
  if (!path.startsWith('/'))
    throw new CannotAttach(
      `the master socket of HAProxy is ${path}, and a path is needed: start it with -S ${usualSocket}`,
    );
  const usable = args.masterSocket !== null && (await isUsable(host, path));
  return { path, usable, extraOptions: unit === null ? null : await extraOptionsOf(host, unit, pid) };
}

/** By the group of the service. */
async function isUsable(host: Host, path: string): Promise<boolean> {
  const group = await host.run('getent', 'group', user);
  const gid = group.exitCode === 0 ? Number(group.output.split(':')[2]) : null;
  if (gid === null) return false;
  try {
    const { gid: owner, mode } = await stat(path);
    return owner === gid && (mode & 0o060) === 0o060 && (await isReachable(dirname(path), gid));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function isReachable(folder: string, gid: number): Promise<boolean> {
  const { gid: owner, mode } = await stat(folder);
  const mayEnter = (mode & 0o001) !== 0 || (owner === gid && (mode & 0o010) !== 0);
  return mayEnter && (folder === '/' || (await isReachable(dirname(folder), gid)));
}

async function extraOptionsOf(host: Host, unit: string, pid: number): Promise<string | null> {
  const { output } = await host.run('systemctl', 'show', unit, '--property=ExecStart', '--value');
  if (!/\$\{?EXTRAOPTS\b/.test(output)) return null;
  const variable = (await environment(pid))?.find((one) => one.startsWith('EXTRAOPTS='));
  const options = variable?.slice('EXTRAOPTS='.length) ?? '';
  // Quotes, blanks and variables were lost when systemd split it into words.
  return /^[A-Za-z0-9 ._/+@=,:-]*$/.test(options) ? options : null;
}

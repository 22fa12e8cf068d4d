// Checks the configuration of an attached service, and access to the master socket. As any user but root, HAProxy's
// check also fails because of files that only root may read (certificates, a stats password): then it proves nothing.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { checkConfiguration } from '../../haproxy/process/binary.ts';
import { workFolderOfProxy } from '../../haproxy/process/configuration-files.ts';
import { MasterSocketError, socketFailureReason } from '../../haproxy/socket/master-socket-error.ts';
import type { RunningArguments } from './attached-configuration.ts';
import type { AttachedCheck } from './attached-reload.ts';

/** @throws ConfigurationCheckError when the check cannot run or does not end */
export async function attachedCheck(proxyBin: string, running: RunningArguments): Promise<AttachedCheck> {
  const folder = await workFolderOfProxy(running);
  const files = running.files.map((file) => resolve(folder, file));
  const barred = await unreadableOf(files);
  if (barred !== null) return unknown(barred, []);
  const { valid, output } = await checkConfiguration(proxyBin, files, { folder });
  if (valid) return { verdict: 'valid', output };
  const named = await unreadableOf(pathsIn(output).map((path) => resolve(folder, path)));
  return named === null ? { verdict: 'invalid', output } : unknown(named, otherAlerts(output, named));
}

function unknown(path: string, alerts: readonly string[]): AttachedCheck {
  return { verdict: 'unknown', unreadable: `this service may not read ${path}`, alerts };
}

/** HAProxy reports every line that it does not accept before it exits. */
function otherAlerts(output: string, unreadable: string): string[] {
  const alerts = output.split('\n').filter((line) => line.includes('[ALERT]'));
  return alerts.filter(
    (line) => /\bparsing \[/i.test(line) && !line.includes(unreadable) && !/permission denied/i.test(line),
  );
}

/** Whether this user may use the master socket; reported at start, before the first health request. */
export async function socketProblems(path: string): Promise<string[]> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    const reason = socketFailureReason(error as NodeJS.ErrnoException, false);
    return [new MasterSocketError(reason, { path, command: '', cause: error }).message];
  }
}

/** The first path that this user may not read. */
async function unreadableOf(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    try {
      await access(path, constants.R_OK);
    } catch (error) {
      if (['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return path;
    }
  }
  return null;
}

/** As HAProxy quotes them: `'/etc/ssl/private/site.pem'`, `from file '…'`, `(/etc/…)`. */
function pathsIn(output: string): string[] {
  return [...new Set(output.match(/\/[A-Za-z0-9._/+@=:-]*[A-Za-z0-9_+@=/-]/g) ?? [])].slice(0, 200);
}

// `-c` calls a configuration valid whose port somebody else holds. Asked to reload with it, HAProxy takes the old
// worker's listeners away for as long as it tries to bind: 2 s in which every new connection is refused (2.6.12,
// 3.0.11). So it is not asked.

import { findMaster } from '../../haproxy/process/master-process.ts';
import type { Settings } from '../../settings.ts';
import { listensAt } from '../../supervision/foreign-listeners.ts';
import { childrenOf } from '../../system/processes.ts';
import { bindAddresses, tryBind } from './listeners.ts';

/** The addresses of the configuration that the running proxy does not have yet and cannot get, as they stand in it. */
export async function heldByOthers(
  configText: string,
  { pidFile, configFile }: Pick<Settings, 'pidFile' | 'configFile'>,
): Promise<string[]> {
  const master = await findMaster(pidFile, configFile);
  if (master === null) return [];
  const refused = await tryBind(bindAddresses(configText));
  const taken = refused.filter(({ code }) => code === 'EADDRINUSE').map(({ address }) => address);
  const pids = [master.pid, ...(await childrenOf(master.pid))];
  const held: string[] = [];
  // What its workers have is handed on to the next one, whoever else listens there.
  for (const address of taken) if (!(await listensAt(address, pids))) held.push(address.text);
  return held;
}

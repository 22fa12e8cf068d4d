// Problems of HAProxy that no comparison of maps shows, as reasons for `/health`.
import type { WorkerRegistry } from '../blocking/compare/worker-registry.ts';
import type { LiveRule } from '../configuration/reload/live-rule.ts';
import { describeSockets, foreignListeners, persistentForeignListeners } from '../supervision/foreign-listeners.ts';
import type { Supervisor } from '../supervision/supervisor.ts';

export async function proxyProblems(
  {
    configFile,
    rule,
    supervisor,
  }: {
    readonly configFile: string;
    readonly rule: Pick<LiveRule, 'findings'>;
    readonly supervisor: Pick<Supervisor, 'state'> | null;
  },
  registry: Pick<WorkerRegistry, 'all' | 'masterPid'>,
): Promise<string[]> {
  const problems: string[] = [];
  const { exists, problem: lacking, binds } = await rule.findings();
  if (supervisor !== null && !supervisor.state.running) problems.push(`supervision: ${supervisor.state.reason}`);
  const pids = [...registry.all().map(({ pid }) => pid), ...(registry.masterPid === null ? [] : [registry.masterPid])];
  if (!exists) {
    problems.push(
      `proxy: there is no configuration at ${configFile}: proxy-manager reload --dry-run reports what prevents it`,
    );
  }
  if (lacking !== null) problems.push(lacking);
  const listeners = await persistentForeignListeners({ pids, masterPid: registry.masterPid }, (known) =>
    foreignListeners(binds, known),
  );
  for (const foreign of await describeSockets(listeners)) {
    problems.push(`${foreign}: another process listens on it too, and its requests bypass the blocked map`);
  }
  return problems;
}

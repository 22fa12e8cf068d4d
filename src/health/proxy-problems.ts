// Problems of HAProxy that no comparison of maps shows, as reasons for `/health`.
import type { WorkerRegistry } from '../blocking/compare/worker-registry.ts';
import { bindAddresses } from '../configuration/reload/listeners.ts';
import type { LiveFile } from '../configuration/reload/live-file.ts';
import type { LiveRule } from '../configuration/reload/live-rule.ts';
import { describeSockets, foreignListeners, persistentForeignListeners } from '../supervision/foreign-listeners.ts';
import type { Supervisor } from '../supervision/supervisor.ts';

export async function proxyProblems(
  {
    live,
    rule,
    supervisor,
  }: { readonly live: LiveFile; readonly rule: LiveRule; readonly supervisor: Supervisor | null },
  registry: Pick<WorkerRegistry, 'all' | 'masterPid'>,
): Promise<string[]> {
  const problems: string[] = [];
  await rule.check();
  if (supervisor !== null && !supervisor.state.running) problems.push(`supervision: ${supervisor.state.reason}`);
  const pids = [...registry.all().map(({ pid }) => pid), ...(registry.masterPid === null ? [] : [registry.masterPid])];
  const configuration = await live.read();
  if (configuration === null) {
    problems.push(
      `proxy: there is no configuration at ${live.path}: proxy-manager reload --dry-run reports what prevents it`,
    );
  }
  const text = configuration ?? '';
  const lacking = rule.problemOf(text);
  if (lacking !== null) problems.push(lacking);
  const listeners = await persistentForeignListeners({ pids, masterPid: registry.masterPid }, (known) =>
    foreignListeners(bindAddresses(text), known),
  );
  for (const foreign of await describeSockets(listeners)) {
    problems.push(`${foreign}: another process listens on it too, and its requests bypass the blocked map`);
  }
  return problems;
}

// A safe reload with a shell script as HAProxy.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../src/configuration/backups/backup-files.ts';
import { BackupStore } from '../../src/configuration/backups/backup-store.ts';
import { LiveFile } from '../../src/configuration/reload/live-file.ts';
import { LiveOrigin } from '../../src/configuration/reload/live-origin.ts';
import { ReloadMarker } from '../../src/configuration/reload/reload-marker.ts';
import type { ReloadPorts } from '../../src/configuration/reload/reload-request.ts';
import { SafeReload } from '../../src/configuration/reload/safe-reload.ts';
import { contentAddressed, type NamedFile } from '../../src/configuration/template/sites-map.ts';
import type { ReloadOutcome } from '../../src/haproxy/process/reloader.ts';
import type { Log } from '../../src/telemetry/log.ts';

/** Simulates `haproxy -V -c -f <file>`: rejects a configuration with `bad`; one with `forge` changes meanwhile. */
const proxyScript = `#!/bin/sh
for file; do :; done
if grep -q bad "$file"; then echo "[ALERT] (1) : config : parsing [$file:1] : unknown keyword 'bad'" >&2; exit 1; fi
if grep -q forge "$file"; then echo forged > "$file"; fi
echo "Configuration file is valid"
`;

export const confirmed = (before: number, after: number): ReloadOutcome => ({
  confirmed: true,
  workerBefore: before,
  workerAfter: after,
  by: 'socket',
  output: '',
  processes: null,
});

export const refused = (reason: 'refused' | 'unconfirmed' | 'not-running' = 'refused'): ReloadOutcome => ({
  confirmed: false,
  reason,
  detail: 'HAProxy said no',
  workerBefore: 1,
  workerAfter: 1,
  output: 'cannot bind socket',
});

export interface ReloadFixture {
  readonly folder: string;
  readonly origin: LiveOrigin;
  readonly backups: BackupStore;
  readonly safeReload: SafeReload;
  readonly marker: ReloadMarker;
  /** Log messages and calls, in order. */
  readonly events: string[];
  /** The text of each reload. */
  readonly loaded: string[];
  /** Tests may replace these. */
  readonly does: {
    render: () => { readonly text: string; readonly sites?: string };
    writeMaps: () => Promise<void>;
    reload: (text: string) => ReloadOutcome | Promise<ReloadOutcome>;
    verify: () => Promise<readonly string[]>;
  };
  live(): Promise<string | null>;
  stop(): Promise<void>;
}

export async function reloadFixture(initial: string | null): Promise<ReloadFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'pm-reload-'));
  const at = (name: string): string => join(folder, name);
  await writeFile(at('proxy'), proxyScript);
  await chmod(at('proxy'), 0o755);
  const live = new LiveFile(at('proxy.cfg'));
  if (initial !== null) await writeFile(live.path, initial);
  const origin = new LiveOrigin(at('live-configuration'));
  // As after a reload of it.
  if (initial !== null) await origin.confirmed(initial, null);
  const backups = new BackupStore(at('backups'));
  const events: string[] = [];
  const loaded: string[] = [];
  let pid = 1;
  const does: ReloadFixture['does'] = {
    render: () => ({ text: 'new\n' }),
    writeMaps: async () => undefined,
    reload: () => confirmed(pid, ++pid),
    verify: async () => [],
  };
  const say = (message: string): void => void events.push(message);
  const log: Log = { info: say, warn: say, error: say };
  const ports: ReloadPorts = {
    async render() {
      const { text, sites } = does.render();
      const files: NamedFile[] = sites === undefined ? [] : [contentAddressed(at('sites.map'), sites)];
      const named = files.map((file) => `${file.path}\n`).join('');
      return { text: text + named, sha256: sha256(text + named), files, warnings: [] };
    },
    sites: async () => [],
    async writeMaps() {
      await does.writeMaps();
      events.push('maps');
    },
    async reloadProxy() {
      const text = await readFile(live.path, 'utf8');
      loaded.push(text);
      events.push('reload');
      return await does.reload(text);
    },
    verifyWorkers: () => does.verify(),
  };
  const marker = new ReloadMarker(at('reload-under-way'), log);
  const safeReload = new SafeReload({
    live,
    origin,
    backups,
    proxyBin: at('proxy'),
    fileBases: [at('sites.map')],
    mapFiles: [],
    ports,
    marker,
    log,
    comparisonTimeoutMs: 200,
  });
  return {
    folder,
    marker,
    origin,
    backups,
    safeReload,
    events,
    loaded,
    does,
    live: () => live.read(),
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}

// What a start does before the API listens: state first, then the file, then the proxy, so that nobody is served by
// less than the database says. A crash at any of the points is made good by the next start.
import type { AuditRecorder } from '../activity/audit-recorder.ts';
import { ensureServerStateFile } from '../configuration/server-state.ts';
import { filesNamedIn } from '../configuration/sites-map.ts';
import { readableKnownGood } from '../configuration/start-configuration.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { removeStaleTemporaries } from '../files/atomic-file.ts';
import type { Settings } from '../settings.ts';
import type { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import type { Log } from '../telemetry/log.ts';
import type { BlockingParts } from './blocking-parts.ts';
import type { ConfigurationParts } from './configuration-parts.ts';
import type { ApiKeys } from './keys.ts';
import { type OpenState, rememberInstance } from './open-state.ts';
import { reviewMapFiles, takeOverMapFiles } from './take-over.ts';

export interface StartParts {
  readonly settings: Settings;
  readonly state: Pick<OpenState, 'instance' | 'knownInstance'>;
  readonly blocking: Pick<BlockingParts, 'store' | 'keeper' | 'trusted' | 'bulk'>;
  readonly trustedIps: TrustedIpsStore;
  readonly configuration: ConfigurationParts;
  readonly keys: ApiKeys;
  /** Where the key made at the first start is written. */
  readonly keyFile: string;
  readonly audit: AuditRecorder;
  readonly log: Log;
  readonly now: () => Date;
}

export async function prepareStart(parts: StartParts): Promise<void> {
  const { settings, state, blocking, trustedIps, configuration, keys, keyFile, audit, log } = parts;
  const { instance, knownInstance } = state;
  const { keeper, trusted, bulk } = blocking;
  await configuration.underWay.find();
  await removeStaleTemporaries(settings.blockedMap);
  const takeOver = {
    settings,
    instance,
    store: blocking.store,
    trusted: trustedIps,
    audit,
    log,
    now: parts.now,
    knownInstance,
  };
  // Before the first change, which would have the number of one that the file may hold.
  await reviewMapFiles(takeOver);
  const acceptShrink = await bulk.finishInterrupted();
  if (!knownInstance) await takeOverMapFiles(takeOver);
  crashPoint('start.imported');
  const acceptOtherFile = settings.acceptMapFile || settings.adoptMapFile || !knownInstance;
  await keeper.updateBlockedIpsMap({ acceptOtherFile, acceptShrink });
  crashPoint('start.blocked-map-written');
  await bulk.forgetFinished();
  await trusted.updateTrustedIpsMap();
  crashPoint('start.trusted-map-written');
  if (!knownInstance) await rememberInstance(settings, instance, log);
  crashPoint('start.instance-remembered');
  await ensureServerStateFile(configuration.serverStateFile);
  crashPoint('start.server-state-made');
  await keys.ensureFirstKey(keyFile, (row) => audit.finished(row, {}));
  await ensureConfiguration(configuration, log);
  await configuration.rule.look();
  crashPoint('start.configuration-ready');
  await configuration.supervisor?.start();
  crashPoint('start.proxy-runs');
  await rememberKnownGood(settings, configuration, log);
  crashPoint('start.known-good-recorded');
}

async function ensureConfiguration({ live, ensureStart }: ConfigurationParts, log: Log): Promise<void> {
  if ((await live.read()) !== null) return;
  const start = await ensureStart();
  if (!start.usable) log.error('No configuration that the proxy takes', { output: start.output });
}

/** What runs and was found valid is what a failed reload goes back to. */
async function rememberKnownGood(
  settings: Settings,
  { live, backups, ensureStart }: ConfigurationParts,
  log: Log,
): Promise<void> {
  const text = await live.read();
  if (text === null || (await readableKnownGood(backups, log)) !== null) return;
  const start = await ensureStart();
  if (!start.usable || start.source !== 'live') return;
  await backups.markKnownGood(text, await filesNamedIn(settings.sitesMap, text));
}

// What a start does before the API listens: state first, then the file, then HAProxy, so that HAProxy never enforces
// less than the database says. The next start repairs a crash at any point.
import type { AuditRecorder } from '../audit/audit-recorder.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { removeStaleTemporaries } from '../files/atomic-file.ts';
import type { ApiKeys } from '../keys/keys.ts';
import type { Settings } from '../settings.ts';
import type { SitesTls } from '../sites/site-tls.ts';
import { type OpenState, rememberInstance } from '../start/open-state.ts';
import { reviewMapFiles, takeOverMapFiles } from '../start/take-over.ts';
import { reviewUpstreamFiles } from '../start/upstream-files.ts';
import type { ClaimsStore } from '../store/claims-store.ts';
import type { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import type { UpstreamsStore } from '../store/upstreams-store.ts';
import type { Log } from '../telemetry/log.ts';
import type { BlockingParts } from './blocking-parts.ts';
import type { ProxySide } from './proxy-side.ts';
import type { TlsParts } from './tls-parts.ts';

interface StartParts {
  readonly settings: Settings;
  readonly state: Pick<OpenState, 'instance' | 'knownInstance'>;
  readonly blocking: Pick<
    BlockingParts,
    'store' | 'keeper' | 'trusted' | 'upstreams' | 'https' | 'challenges' | 'bulk' | 'claims'
  >;
  readonly trustedIps: TrustedIpsStore;
  readonly upstreamsStore: UpstreamsStore;
  /** Null: the service serves no certificates. */
  readonly tls: Pick<TlsParts, 'load'> | null;
  readonly sitesTls: Pick<SitesTls, 'endBeforeStart'>;
  readonly proxy: Pick<ProxySide, 'review' | 'start'>;
  readonly keys: ApiKeys;
  /** Where the key made at the first start is written. */
  readonly keyFile: string;
  readonly audit: AuditRecorder;
  readonly log: Log;
  readonly now: () => Date;
}

export async function prepareStart(parts: StartParts): Promise<void> {
  const { settings, state, blocking, trustedIps, upstreamsStore, tls, sitesTls, proxy, keys, keyFile, audit, log } =
    parts;
  const { instance, knownInstance } = state;
  const { keeper, trusted, upstreams, https, challenges, bulk } = blocking;
  await proxy.review();
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
  // Before the first change, which could get a number that the file already has.
  await reviewMapFiles(takeOver);
  await repairClaims(blocking.claims, parts);
  const acceptShrink = await bulk.finishInterrupted();
  if (!knownInstance) await takeOverMapFiles(takeOver);
  await reviewUpstreamFiles({ settings, store: upstreamsStore, audit, knownInstance, log, now: parts.now });
  crashPoint('start.imported');
  const acceptForeignFile = settings.acceptMapFile || settings.adoptMapFile || !knownInstance;
  await keeper.updateBlockedIpsMap({ acceptForeignFile, acceptShrink });
  crashPoint('start.blocked-map-written');
  await bulk.forgetFinished();
  await trusted.updateTrustedIpsMap();
  await upstreams.updateUpstreamMaps();
  if (!settings.attached) await https.updateHttpsMap();
  await challenges.updateChallengeMap();
  crashPoint('start.trusted-map-written');
  if (!knownInstance) await rememberInstance(settings, instance, log);
  crashPoint('start.instance-remembered');
  await keys.finishBinding();
  await keys.ensureFirstKey(keyFile, (row) => audit.finished(row, {}));
  await tls?.load();
  if (!settings.attached) await sitesTls.endBeforeStart();
  crashPoint('start.certificates-written');
  await proxy.start();
}

async function repairClaims(claims: Pick<ClaimsStore, 'repair'>, { log, now }: StartParts): Promise<void> {
  const { counts, restored } = await claims.repair(now());
  if (counts + restored.length === 0) return;
  log.warn('Claims in the database disagreed with the blocked addresses; what one of them says is blocked', {
    corrected: counts,
    blocked_again: restored.length,
    ip_addresses: restored.slice(0, loggedAddresses),
  });
}

const loggedAddresses = 20;

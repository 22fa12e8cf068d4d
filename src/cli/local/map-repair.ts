// A damaged map file keeps HAProxy from starting. Refused while the service runs, which repairs the files itself.
import { dirname } from 'node:path';
import { AuditRecorder } from '../../audit/audit-recorder.ts';
import { MapFileKeeper } from '../../blocking/write/map-file-keeper.ts';
import { TurnQueue } from '../../concurrency/turn-queue.ts';
import { upstreamValues } from '../../domain/upstream.ts';
import { resolveTarget, writeFileAtomically } from '../../files/atomic-file.ts';
import { MapFile } from '../../haproxy/map-file/map-file.ts';
import { smallMapText } from '../../haproxy/map-file/small-map-text.ts';
import { trustedMapText } from '../../haproxy/map-file/trusted-map-text.ts';
import type { Settings } from '../../settings.ts';
import { readMarker } from '../../start/instance-marker.ts';
import { openState } from '../../start/open-state.ts';
import { checkRights } from '../../start/rights-check.ts';
import { reviewMapFiles } from '../../start/take-over.ts';
import { reviewUpstreamFiles } from '../../start/upstream-files.ts';
import { AuditStore } from '../../store/audit-store.ts';
import { BlockedIpsStore } from '../../store/blocked-ips-store.ts';
import { SiteTlsStore } from '../../store/site-tls-store.ts';
import { TrustedIpsStore } from '../../store/trusted-ips-store.ts';
import { UpstreamsStore } from '../../store/upstreams-store.ts';
import { ServiceLock } from '../../supervision/service-lock.ts';
import type { Log } from '../../telemetry/log.ts';

/**
 * @returns the number of entries in each file
 * @throws StartRefused if other users could replace a file, or before the first start
 */
export async function repairMaps(settings: Settings, log: Log): Promise<{ blocked: number; trusted: number }> {
  checkRights(settings, log);
  // The first start imports existing maps: until then there is nothing to repair them from.
  if ((await readMarker(settings.stateDir)) === null) {
    throw new Error(
      'the service has never been started here, so there is no database to write the map from: start the service first',
    );
  }
  const lock = ServiceLock.take(
    `${await resolveTarget(settings.blockedMap)}.lock`,
    `${settings.blockedMap} in ${dirname(settings.blockedMap)}`,
  );
  const { database, instance, knownInstance } = await openState({ ...settings, acceptEmptyDatabase: false });
  const now = (): Date => new Date();
  const audit = new AuditRecorder({ store: new AuditStore(database), log, now });
  try {
    const store = new BlockedIpsStore(database);
    const trusted = new TrustedIpsStore(database);
    const keeper = new MapFileKeeper({
      file: new MapFile({ path: settings.blockedMap }),
      path: settings.blockedMap,
      store,
      instance,
      turns: new TurnQueue(),
      log,
      onUnexpectedDatabase: () => undefined,
    });
    await reviewMapFiles({ settings, instance, store, trusted, audit, knownInstance, log, now });
    const acceptForeignFile = settings.acceptMapFile || settings.adoptMapFile;
    const { entries } = await keeper.updateBlockedIpsMap({ acceptForeignFile });
    await keeper.file.close();
    const rows = await trusted.list();
    await writeFileAtomically(settings.trustedMap, trustedMapText(rows));
    const upstreamsStore = new UpstreamsStore(database);
    await reviewUpstreamFiles({ settings, store: upstreamsStore, audit, knownInstance, log, now });
    const { upstreams, proxyProtocol } = upstreamValues(await upstreamsStore.all());
    await writeFileAtomically(settings.upstreamsMap, smallMapText('upstreams', upstreams));
    await writeFileAtomically(settings.proxyProtocolMap, smallMapText('PROXY protocol', proxyProtocol));
    if (!settings.attached) {
      const https = await new SiteTlsStore(database).entries();
      await writeFileAtomically(settings.httpsSitesMap, smallMapText('https settings of sites', https));
      // At its start the service adds those of open orders.
      await writeFileAtomically(settings.acmeChallengesMap, smallMapText('answers to ACME challenges', new Map()));
    }
    return { blocked: entries, trusted: rows.length };
  } finally {
    await audit.stop();
    await database.close();
    lock.free();
  }
}

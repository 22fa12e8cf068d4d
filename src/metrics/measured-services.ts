// The services of the API with a count of what they did. They themselves know nothing of it.
import type { BulkAnswer } from '../api/blocked-ips-bulk.ts';
import type { RuntimeReport } from '../api/changes.ts';
import type { BlockedSetService } from '../blocking/blocked-set-service.ts';
import type { ConfigurationService, KeysService, Services, SitesService, TrustedIpsService } from '../http/services.ts';
import type { Done, OperationMetrics } from './operation-metrics.ts';

/** Those that change something. */
type Changing = Pick<Services, 'blockedSet' | 'trustedIps' | 'sites' | 'configuration' | 'keys'>;

export function measuredServices(inner: Changing, metrics: OperationMetrics): Changing {
  return {
    blockedSet: measuredBlockedSet(inner.blockedSet, metrics),
    trustedIps: measuredTrustedIps(inner.trustedIps, metrics),
    sites: measuredSites(inner.sites, metrics),
    configuration: measuredConfiguration(inner.configuration, metrics),
    keys: measuredKeys(inner.keys, metrics),
  };
}

function measuredBlockedSet(inner: BlockedSetService, metrics: OperationMetrics): BlockedSetService {
  return {
    block: (...args) => metrics.measured('block', inner.block(...args), blockDone),
    unblock: (...args) => metrics.measured('unblock', inner.unblock(...args), removed),
    // A dry run changes nothing, so it is not counted.
    batch: (request, caller, options) => {
      const work = inner.batch(request, caller, options);
      return options?.dryRun === true ? work : metrics.measured('batch', work, bulkDone);
    },
    replaceAll: (source, options, caller) => {
      const work = inner.replaceAll(source, options, caller);
      return options.dryRun === true ? work : metrics.measured('replace', work, bulkDone);
    },
    sync: (...args) =>
      metrics.measured('sync', inner.sync(...args), (answer) => ({
        seenEverywhere: answer.runtime_map_synced && answer.draining_workers.every(({ synced }) => synced),
      })),
    list: (query) => inner.list(query),
    listTexts: () => inner.listTexts(),
    get: (entry) => inner.get(entry),
    check: (entry) => inner.check(entry),
  };
}

function measuredTrustedIps(inner: TrustedIpsService, metrics: OperationMetrics): TrustedIpsService {
  return {
    list: () => inner.list(),
    get: (entry) => inner.get(entry),
    put: (...args) => metrics.measured('trust', inner.put(...args), blockDone),
    remove: (...args) => metrics.measured('distrust', inner.remove(...args), removed),
  };
}

function measuredSites(inner: SitesService, metrics: OperationMetrics): SitesService {
  return {
    list: () => inner.list(),
    get: (domain) => inner.get(domain),
    put: (...args) => metrics.measured('set_site', inner.put(...args), plain),
    remove: (...args) => metrics.measured('remove_site', inner.remove(...args), plain),
    servers: (domain) => inner.servers(domain),
  };
}

function measuredConfiguration(inner: ConfigurationService, metrics: OperationMetrics): ConfigurationService {
  return {
    reload: (...args) => metrics.measured('reload', inner.reload(...args), plain),
    current: () => inner.current(),
    validate: (caller) => inner.validate(caller),
    diff: (backup) => inner.diff(backup),
    reloads: (query) => inner.reloads(query),
    reloadRecord: (id) => inner.reloadRecord(id),
    backups: () => inner.backups(),
    restore: (...args) => metrics.measured('restore', inner.restore(...args), plain),
  };
}

function measuredKeys(inner: KeysService, metrics: OperationMetrics): KeysService {
  return {
    authenticate: (key) => inner.authenticate(key),
    list: () => inner.list(),
    create: (...args) => metrics.measured('create_key', inner.create(...args), plain),
    revoke: (...args) => metrics.measured('revoke_key', inner.revoke(...args), plain),
  };
}

const oneAdded = { added: 1 };
const oneUpdated = { updated: 1 };
const oneUnchanged = { unchanged: 1 };
const oneRemoved = { removed: 1 };
const nothingMore: Done = {};

function blockDone(done: {
  readonly created: boolean;
  readonly changed?: boolean;
  readonly answer: RuntimeReport;
}): Done {
  const counts = done.created ? oneAdded : done.changed === true ? oneUpdated : oneUnchanged;
  return { ...seen(done.answer), counts };
}

function removed(answer: RuntimeReport): Done {
  return { ...seen(answer), counts: oneRemoved };
}

function bulkDone(answer: BulkAnswer): Done {
  const { added, updated, removed, unchanged, rejected_total: rejected } = answer;
  return { ...seen(answer), counts: { added, updated, removed, unchanged, rejected } };
}

function seen({ runtime_map_updated: seenEverywhere, runtime_map_failures_total: readBackFailures }: RuntimeReport) {
  return { seenEverywhere, readBackFailures };
}

function plain(): Done {
  return nothingMore;
}

// The small map files before a start rewrites them: a file of another program is refused, and after the loss of the
// database the upstreams of an earlier service are kept.
import { readFile } from 'node:fs/promises';
import type { AuditRecorder } from '../audit/audit-recorder.ts';
import { parseUpstream } from '../domain/upstream.ts';
import { behaviorOf } from '../domain/upstream-modes.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isMissing } from '../files/atomic-file.ts';
import { smallMapMark } from '../haproxy/map-file/small-map-text.ts';
import type { Settings } from '../settings.ts';
import type { UpstreamsStore } from '../store/upstreams-store.ts';
import type { Log } from '../telemetry/log.ts';

const recoveredNote = 'from the map file';
const noted = 20;

interface UpstreamFilesParts {
  readonly settings: Pick<
    Settings,
    'upstreamsMap' | 'proxyProtocolMap' | 'httpsSitesMap' | 'acmeChallengesMap' | 'attached' | 'acceptMapFile'
  >;
  readonly store: Pick<UpstreamsStore, 'count' | 'put'>;
  readonly audit: Pick<AuditRecorder, 'done'>;
  /** False: the first start of a database. */
  readonly knownInstance: boolean;
  readonly log: Log;
  readonly now: () => Date;
}

interface UpstreamFile {
  readonly isOurs: boolean;
  /** By network. */
  readonly entries: ReadonlyMap<string, string>;
}

/** @throws ServiceError 409 for a file of another program with entries; nothing was changed */
export async function reviewUpstreamFiles(parts: UpstreamFilesParts): Promise<void> {
  const { settings, store, knownInstance } = parts;
  const [upstreams, proxyProtocol] = await Promise.all([read(settings.upstreamsMap), read(settings.proxyProtocolMap)]);
  if (!settings.acceptMapFile) {
    const rename = ', or name another file (PROXY_MANAGER_UPSTREAMS_MAP, PROXY_MANAGER_PROXY_PROTOCOL_MAP)';
    refuseForeign(settings.upstreamsMap, upstreams, rename);
    refuseForeign(settings.proxyProtocolMap, proxyProtocol, rename);
    const others = [...(settings.attached ? [] : [settings.httpsSitesMap]), settings.acmeChallengesMap];
    for (const path of others) refuseForeign(path, await read(path));
  }
  if (knownInstance || !upstreams.isOurs || (await store.count()) > 0) return;
  await recover(parts, upstreams.entries, proxyProtocol.isOurs ? proxyProtocol.entries : new Map());
}

async function read(path: string): Promise<UpstreamFile> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n');
    const entries = lines
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, string] => {
        const [network = '', value = ''] = line.split(/\s+/);
        return [network, value];
      });
    return { isOurs: lines[0]?.startsWith(smallMapMark) === true, entries: new Map(entries) };
  } catch (error) {
    if (isMissing(error)) return { isOurs: false, entries: new Map() };
    throw error;
  }
}

function refuseForeign(path: string, { isOurs, entries }: UpstreamFile, rename = ''): void {
  if (isOurs || entries.size === 0) return;
  throw new ServiceError(
    codes.ForeignMapFile,
    'update map file',
    `the map file ${path} was not written by proxy-manager, and holds ${entries.size} ${entries.size === 1 ? 'entry' : 'entries'}; move it${rename}, or start once with PROXY_MANAGER_ACCEPT_MAP_FILE=true to overwrite it`,
  );
}

/** One upstream for all networks that say the same; the names are not in the file. */
async function recover(
  { store, audit, log, now }: UpstreamFilesParts,
  upstreams: ReadonlyMap<string, string>,
  proxyProtocol: ReadonlyMap<string, string>,
): Promise<void> {
  const groups = Map.groupBy(upstreams.keys(), (network) => `${upstreams.get(network)} ${proxyProtocol.has(network)}`);
  let imported = 0;
  for (const networks of groups.values()) {
    const [first = ''] = networks;
    const behavior = behaviorOf(Number(upstreams.get(first)));
    const parsed =
      behavior === null
        ? null
        : parseUpstream(`recovered-${imported + 1}`, {
            networks,
            header: behavior.header,
            chain: behavior.chain,
            proxy_protocol: proxyProtocol.has(first),
            on_invalid: behavior.onInvalid,
            note: recoveredNote,
          });
    if (parsed?.ok !== true) {
      log.warn('Networks of the existing map file of upstreams not imported', { networks: networks.slice(0, noted) });
      continue;
    }
    const at = now();
    const [createdAt, updatedAt, networksAt] = Array<string>(3).fill(at.toISOString()) as [string, string, string];
    await store.put({ ...parsed.upstream, preset: null, createdAt, updatedAt, networksAt }, at);
    imported += 1;
  }
  if (imported === 0) return;
  log.info('Upstreams imported from the existing map files', { imported });
  const details = { imported, map: 'upstreams' };
  audit.done({ operation: 'import_map_file', keyName: null, source: null, requestId: null, details });
}

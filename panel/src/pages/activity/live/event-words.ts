// Each event as one sentence. Members may be absent (EventData), so every one has a fallback.
import { count } from '../../../../../src/domain/counted.ts';
import { certificatesFail, databaseDown, onlyCertificates, proxyDown } from '../../../app/enforcement.ts';
import type { EventData, EventType, KnownEvent, ServiceEvent } from '../../../live/service-event.ts';
import { elapsedText, spanText } from '../../../parts/age.tsx';
import { withUnit } from '../../../parts/figures.ts';
import type { Tone } from '../../../parts/state-mark.tsx';

interface EventWords {
  readonly tone: Tone;
  readonly words: string;
}

type Describe<Type extends EventType> = (data: EventData<Type>, at: number) => EventWords;

const describe: { readonly [Type in EventType]: Describe<Type> } = {
  'entry.blocked': ({ ip_address: ip, created, by, expires_at: end, reason, ...data }, at) =>
    applied(
      data,
      created === false
        ? `Block of ${text(ip)} changed${author(by)}${span(end, at)}${detail(reason)}`
        : `${text(ip)} blocked${author(by)}${span(end, at)}${detail(reason)}`,
    ),
  'entry.unblocked': ({ ip_address: ip, by, ...data }) => applied(data, `${text(ip)} unblocked${author(by)}`),
  'entry.expired': ({ ip_address: ip, ...data }) => applied(data, `Block of ${text(ip)} expired`),
  'entries.changed': ({ operation, by, added, removed, unchanged, ...data }) =>
    applied(
      data,
      `${bulkOperation(operation)}${author(by)}: ${number(added)} added, ${number(removed)} removed, ${number(unchanged)} unchanged`,
    ),
  'sync.done': ({ runtime_map_synced: synced, by, added, removed }) =>
    synced === true
      ? good(`Entries verified${author(by)}: in sync, ${number(added)} added, ${number(removed)} removed`)
      : warn(`Entries verified${author(by)}: still out of sync`),
  'drift.seen': ({ worker, map, seen, expected }) =>
    warn(
      seen === expected
        ? `Worker ${text(worker)} has the expected number of entries in ${mapName(map)}, but some are wrong`
        : `Worker ${text(worker)} has ${number(seen)} of ${number(expected)} entries in ${mapName(map)}`,
    ),
  'drift.repaired': ({ worker, map, added, removed, corrected }) =>
    good(
      `Worker ${text(worker)} repaired in ${mapName(map)}: ${number(added)} added, ${number(removed)} removed, ${number(corrected)} corrected`,
    ),
  'reload.started': ({ reasons }) => ({ tone: 'unknown', words: `Reload started${list(reasons)}` }),
  'reload.completed': ({ changed, worker_before: before, worker_after: after, duration_ms: took }) =>
    good(
      `HAProxy reloaded${changed === true ? ' with a changed configuration' : ''}: worker ${text(after)}${
        before === null || before === undefined ? '' : ` replaced ${before}`
      }${took === undefined ? '' : ` in ${elapsedText(took)}`}`,
    ),
  'reload.failed': ({ status, error }) => ({
    tone: 'bad',
    words: `Reload ${status === 'refused' ? 'refused' : 'failed'}${detail(error)}`,
  }),
  'attack.started': ({ rate, usual }) =>
    warn(`Attack started: ${number(rate)} denied requests a minute, usually ${number(usual)}`),
  'attack.ended': ({ denied, minutes }) =>
    good(`Attack ended after ${number(minutes)} minutes: ${number(denied)} denied requests`),
  'candidate.found': ({ ip_address: ip, rate, error_share: errors }) =>
    warn(`${text(ip)} sends about ${number(rate)} requests a second, ${percent(errors)} of them with an error`),
  'insight.gap': ({ cause }) => warn(`Denied requests were not counted${detail(cause)}`),
  'counting.incomplete': ({ missing }) => warn(`HAProxy lacks tables for counting${list(missing)}`),
  'counting.complete': () => good('No table for counting is missing any more'),
  'source.useless': ({ source, entries, days }) =>
    warn(`The ${number(entries)} entries of ${text(source)} denied no request in ${number(days)} days`),
  'trust.added': ({ ip_address: ip, by, note, ...data }) =>
    applied(data, `${text(ip)} trusted${author(by)}${detail(note)}`),
  'trust.removed': ({ ip_address: ip, by, ...data }) => applied(data, `${text(ip)} no longer trusted${author(by)}`),
  'trust.expired': ({ ip_address: ip, ...data }) => applied(data, `Trust of ${text(ip)} expired`),
  'site.set': ({ domain, created, by }) =>
    good(`Site ${text(domain)} ${created === true ? 'added' : 'changed'}${author(by)}`),
  'site.removed': ({ domain, by }) => good(`Site ${text(domain)} removed${author(by)}`),
  'site.down': ({ domain }) => ({ tone: 'bad', words: `Site ${text(domain)} is down: no server passes its checks` }),
  'site.up': ({ domain }) => good(`Site ${text(domain)} is not down any more`),
  'certificate.installed': ({ names, created, by, runtime_updated: updated }) => {
    const words = `Certificate for ${nameList(names)} ${created === false ? 'replaced' : 'uploaded'}${author(by)}`;
    return updated === true ? good(words) : warn(`${words}; not served by every worker yet`);
  },
  'certificate.removed': ({ names, by, runtime_updated: updated }) => {
    const words = `Certificate for ${nameList(names)} removed${author(by)}`;
    return updated === false ? warn(`${words}; a worker may still serve it`) : good(words);
  },
  'certificate.expiring': ({ names, days_left: days, sites }) =>
    warn(`Certificate for ${nameList(names)} expires in ${dayCount(days)}${ofSites(sites)}`),
  'certificate.expired': ({ names, sites }) => ({
    tone: 'bad',
    words: `Certificate for ${nameList(names)} expired${ofSites(sites)}`,
  }),
  'certificate.repaired': ({ id, worker }) => warn(`Worker ${text(worker)} serves certificate ${text(id)} again`),
  'certificate.issued': ({ names }) => good(`Certificate for ${nameList(names)} issued`),
  'certificate.failing': ({ names, class: kind, detail: why }) =>
    warn(`Certificate for ${nameList(names)} not issued, ${text(kind)}${detail(why)}`),
  'acme.paused': ({ directory, until, detail: why }) =>
    warn(`Authority ${text(directory)} paused until ${text(until)}${detail(why)}`),
  'upstream.set': ({ name, created, by }) =>
    good(`Upstream ${text(name)} ${created === true ? 'created' : 'changed'}${author(by)}`),
  'upstream.removed': ({ name, by }) => good(`Upstream ${text(name)} removed${author(by)}`),
  'key.created': ({ name, by }) => good(`Key ${text(name)} created${author(by)}`),
  'key.revoked': ({ name, by }) => good(`Key ${text(name)} revoked${author(by)}`),
  'key.expiring': ({ name, days_left: days }) => warn(`Key ${text(name)} expires in ${dayCount(days)}`),
  'key.expired': ({ name }) => ({ tone: 'bad', words: `Key ${text(name)} expired` }),
  'webhook.set': ({ id, enabled, by }) =>
    good(`Webhook ${text(id)} ${enabled === false ? 'saved and disabled' : 'saved'}${author(by)}`),
  'webhook.removed': ({ id, by }) => good(`Webhook ${text(id)} removed${author(by)}`),
  'webhook.failing': ({ id, why, dropped }) =>
    warn(
      `Webhook ${text(id)} gets no events${detail(why)}${dropped === undefined || dropped === 0 ? '' : `; ${number(dropped)} dropped`}`,
    ),
  'webhook.recovered': ({ id }) => good(`Webhook ${text(id)} gets its events again`),
  'health.changed': ({ status, reasons }) => {
    if (status === 'ok') return good('Blocking is active');
    if (status === 'down') return { tone: 'bad', words: `${down(reasons)}${list(reasons)}` };
    const words = onlyCertificates(reasons ?? []) ? certificatesFail : 'Blocking may be incomplete';
    return warn(`${words}${list(reasons)}`);
  },
  'worker.appeared': ({ pid }) => ({ tone: 'unknown', words: `Worker ${text(pid)} started` }),
  'worker.gone': ({ pid }) => ({ tone: 'unknown', words: `Worker ${text(pid)} exited` }),
  'service.started': ({ version, proxy }) => good(`Service started: ${text(version)}, HAProxy ${text(proxy)}`),
  'service.stopping': () => warn('Service stopping; HAProxy keeps running'),
};

export function eventWords(event: ServiceEvent): EventWords {
  if (event.type === 'gap') {
    return warn('Earlier events are missing: the page was disconnected for too long, or the service restarted');
  }
  if (event.type === 'unknown') {
    return { tone: 'unknown', words: `${event.name} ${JSON.stringify(event.data)}` };
  }
  return describeKnown(event);
}

function describeKnown<Type extends EventType>({ type, data, at }: KnownEvent<Type>): EventWords {
  return describe[type](data, Date.parse(at));
}

function good(words: string): EventWords {
  return { tone: 'good', words };
}

function warn(words: string): EventWords {
  return { tone: 'warn', words };
}

/** A change of a map, which may not have reached every worker. */
function applied(
  { runtime_map_updated: updated }: { readonly runtime_map_updated?: boolean },
  words: string,
): EventWords {
  return updated === false ? warn(`${words}; not verified in every worker yet`) : good(words);
}

function text(value: string | number | null | undefined): string {
  return String(value ?? '?');
}

function number(value: number | undefined): string {
  return value === undefined ? '?' : count(value);
}

function dayCount(days: number | undefined): string {
  return days === 1 ? '1 day' : `${number(days)} days`;
}

function percent(share: number | undefined): string {
  return share === undefined ? '?' : withUnit(Math.round(share * 100), '%');
}

/** The first names of a certificate. */
function nameList(names: readonly string[] = []): string {
  const [first, ...others] = names;
  if (first === undefined) return '?';
  return others.length === 0 ? first : `${first} and ${number(others.length)} more`;
}

function ofSites(sites: readonly string[] = []): string {
  return sites.length === 0 ? ', which no site uses' : `; used by ${sites.join(', ')}`;
}

function author(by: string | null | undefined): string {
  return by === null || by === undefined ? '' : ` by ${by}`;
}

function detail(words: string | null | undefined): string {
  return words === null || words === undefined || words === '' ? '' : `: ${words}`;
}

function list(reasons: readonly string[] = []): string {
  return detail(reasons.join('; '));
}

function span(end: string | null | undefined, at: number): string {
  return end === null || end === undefined ? '' : ` for ${spanText(Date.parse(end) - at)}`;
}

/** The event has no parts as `/health` has, so the reasons decide. */
function down(reasons: readonly string[] = []): string {
  if (reasons.some((reason) => reason.startsWith('no worker'))) return proxyDown;
  return reasons.some((reason) => reason.startsWith('database: ')) ? databaseDown : 'HAProxy or the database is down';
}

function mapName(map: string | undefined): string {
  return map === 'trusted' ? 'the map of trusted addresses' : 'the map of blocked addresses';
}

function bulkOperation(operation: 'batch' | 'replace' | 'unblock_selected' | 'undo' | 'expire' | undefined): string {
  if (operation === 'replace') return 'Blocked set replaced';
  return operation === 'expire' ? 'Blocks expired' : 'Entries changed';
}

// Whether database, map files and every worker's maps are in sync.
import { readFile } from 'node:fs/promises';
import type { Claim } from '../src/api/sources.ts';
import { findMaster } from '../src/haproxy/process/master-process.ts';
import { showProcesses } from '../src/haproxy/process/workers.ts';
import { patienceMs, within } from '../testkit/conditions.ts';
import type { JsonBody, RealService } from '../testkit/real-service.ts';
import { sourceNames } from './claims.ts';

export interface Truth {
  /** From the database: the end of each source's claim in milliseconds since 1970; null: permanent. */
  readonly blocked: ReadonlyMap<string, ReadonlyMap<string, number | null>>;
  readonly trusted: ReadonlySet<string>;
  readonly sites: ReadonlySet<string>;
  /** Lines of the upstream map. */
  readonly upstreams: readonly string[];
}

type AgreementCheck = { readonly truth: Truth } | { readonly differs: string };

const shown = 6;

/** One comparison; a change under way differs for a moment, so a difference needs another. */
export async function checkAgreement(service: RealService, { withSites = true } = {}): Promise<AgreementCheck> {
  try {
    const now = Date.now();
    const truth = await readDatabase(service, withSites);
    const isOver = (until: number | null): boolean => until !== null && until <= now;
    const over = [...truth.blocked].filter(([, claims]) => [...claims.values()].every(isOver)).map(([ip]) => ip);
    if (over.length > 0) return { differs: `expired, and still there: ${over.slice(0, shown).join(', ')}` };
    const health = await service.health();
    if (health.status !== 200 || health.body.status !== 'ok') {
      return { differs: `health is ${health.status} ${JSON.stringify(health.body.reasons ?? health.text)}` };
    }
    const differences = await lookEverywhere(service, truth);
    if (differences !== null) return { differs: differences };
    // A claim that is over beside others is forgotten a moment later, also by a removal of what the source claims.
    const living = (claims: ReadonlyMap<string, number | null>) =>
      new Map([...claims].filter(([, end]) => !isOver(end)));
    return { truth: { ...truth, blocked: new Map([...truth.blocked].map(([ip, claims]) => [ip, living(claims)])) } };
  } catch (error) {
    const { message, cause } = error as Error;
    return { differs: `it could not be checked: ${message}${cause === undefined ? '' : ` (${String(cause)})`}` };
  }
}

async function readDatabase(service: RealService, withSites: boolean): Promise<Truth> {
  const blocked = new Map<string, ReadonlyMap<string, number | null>>();
  for (let cursor = ''; ; ) {
    const { items, next_cursor } = await got(service, `/api/blocked-ips?limit=1000${cursor}`);
    for (const { ip_address, expires_at, claims = [{ source: sourceNames.manual, expires_at }] } of items)
      blocked.set(ip_address, new Map(claims.map((claim: Claim) => [claim.source, timeOf(claim.expires_at)])));
    if (next_cursor === null) break;
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
  }
  const trusted = (await got(service, '/api/trusted-ips')).items.map((one: JsonBody) => one.ip_address);
  const sites = withSites ? (await got(service, '/api/sites')).items.map((one: JsonBody) => one.domain) : [];
  const upstreams = (await got(service, '/api/upstreams')).items.flatMap(({ networks, header }: JsonBody) =>
    networks.map((network: string) => `${network} ${header === 'x-real-ip' ? 6 : 2}`),
  );
  return { blocked, trusted: new Set(trusted), sites: new Set(sites), upstreams };
}

function timeOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

async function got(service: RealService, path: string): Promise<JsonBody> {
  const answer = await service.call('GET', path);
  if (answer.status !== 200) throw new Error(`GET ${path} was answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

async function lookEverywhere(service: RealService, truth: Truth): Promise<string | null> {
  const { paths } = service;
  const one = (ips: Iterable<string>): string[] => [...ips].map((ip) => `${ip} 1`);
  const maps = [
    { path: paths.blockedMap, wanted: one(truth.blocked.keys()) },
    { path: paths.trustedMap, wanted: one(truth.trusted) },
    // An operator's configuration does not use it.
    ...(truth.upstreams.length > 0 ? [{ path: paths.upstreamsMap, wanted: truth.upstreams }] : []),
  ];
  for (const { path, wanted } of maps) {
    const difference = differenceOf(await entriesOfFile(path), wanted);
    if (difference !== null) return `${path}: ${difference}`;
  }
  const processes = await showProcesses(service.socket, within(patienceMs));
  if (processes.current.length !== 1) return `there are ${processes.current.length} current workers`;
  const master = await findMaster(paths.pidFile, paths.config);
  if (master?.pid !== processes.master.pid) {
    return `the pid file names ${master?.pid ?? 'no process'}, and the master is ${processes.master.pid}`;
  }
  for (const { pid } of [...processes.current, ...processes.draining]) {
    const draining = processes.draining.some((worker) => worker.pid === pid);
    for (const { path, wanted } of maps) {
      const entries = await runningEntries(service, pid, path);
      // A draining worker may exit at any moment.
      if (entries === null && draining) continue;
      const difference = differenceOf(entries ?? [], wanted);
      if (difference !== null) return `${draining ? 'draining' : 'current'} worker ${pid}, ${path}: ${difference}`;
    }
  }
  return null;
}

/** As HAProxy would load them. */
async function entriesOfFile(path: string): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  return lines.filter((line) => !line.startsWith('#') && line.trim() !== '').map((line) => line.trim());
}

/** Null: this worker no longer answers. */
async function runningEntries(service: RealService, pid: number, path: string): Promise<string[] | null> {
  const conversation = await service.socket.converse(within(patienceMs));
  const [body = ''] = await conversation.finish([`@!${pid} show map ${path}`]);
  const lines = body.split('\n').filter((line) => line !== '');
  if (lines.some((line) => !line.startsWith('0x'))) return null;
  return lines.map((line) => line.split(' ').slice(1).join(' '));
}

function differenceOf(seen: readonly string[], wanted: readonly string[]): string | null {
  const [there, should] = [new Set(seen), new Set(wanted)];
  const parts = [
    ['lacks', wanted.filter((line) => !there.has(line))],
    ['holds beside', seen.filter((line) => !should.has(line))],
    ['holds twice', twiceIn(seen)],
  ] as const;
  const differing = parts.filter(([, lines]) => lines.length > 0);
  if (differing.length === 0) return null;
  return differing.map(([how, lines]) => `${how} ${lines.length}: ${lines.slice(0, shown).join(', ')}`).join('; ');
}

function twiceIn(lines: readonly string[]): string[] {
  const once = new Set<string>();
  return lines.filter((line) => once.size === once.add(line).size);
}

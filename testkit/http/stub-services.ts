// Services that return plausible answers and record their calls.

import { gunzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BulkAnswer } from '../../src/api/blocked-ips-bulk.ts';
import type { RuntimeReport } from '../../src/api/changes.ts';
import type { Backup, ConfigDiff, ReloadAnswer, ReloadRecord } from '../../src/api/configuration.ts';
import type { Health as HealthReport } from '../../src/api/health.ts';
import { codes } from '../../src/errors/catalogue.ts';
import { type App, type AppOptions, createApp } from '../../src/http/app.ts';
import { documentedPath } from '../../src/http/openapi/document.ts';
import { isPanelRoute } from '../../src/http/panel-pages.ts';
import type { PanelFiles, Services } from '../../src/http/services.ts';
import { apiDocument } from './api-document.ts';
import { DocumentCheck } from './document-check.ts';
import { stubAcme } from './stub-acme.ts';
import { stubCertificates } from './stub-certificates.ts';
import { stubInsight } from './stub-insight.ts';
import { stubSitesTls } from './stub-sites-tls.ts';
import { stubUpstreams } from './stub-upstreams.ts';

export const KEY = 'right-key';
export const BEARER = { authorization: `Bearer ${KEY}` };
export const SESSION_TOKEN = `pms_${'a'.repeat(43)}`;
export const NOW = new Date('2026-11-20T12:00:00Z');

export const REPORT: RuntimeReport = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};
export const BULK: BulkAnswer = {
  added: 1,
  updated: 0,
  removed: 0,
  unchanged: 0,
  rejected_total: 0,
  rejected: [],
  ...REPORT,
};
export const RELOAD: ReloadAnswer = {
  id: 'r1',
  status: 'completed',
  reasons: ['asked for'],
  changed: false,
  backup: null,
  worker_before: 10,
  worker_after: 11,
  duration_ms: 40,
  warnings: [],
};
const RELOAD_RECORD: ReloadRecord = {
  id: 'r1',
  status: 'refused',
  reasons: ['asked for'],
  changed: null,
  validation_output: 'ok',
  error: 'refused',
  backup: 'b1',
  worker_before: 10,
  worker_after: null,
  warnings: [],
  started_at: NOW.toISOString(),
  finished_at: NOW.toISOString(),
};
const BACKUP: Backup = {
  id: 'b1',
  created_at: NOW.toISOString(),
  sha256: 'ab',
  reason: 'r1',
  note: null,
  written_by: 'other',
  files: [{ name: 'file-1-sites.map', path: '/etc/proxy/sites.map', sha256: 'cd' }],
  maps: [{ name: 'map-1-blocked_ips.map', path: '/etc/proxy/blocked_ips.map', bytes: 64 }],
};
export const NO_DIFF: ConfigDiff = {
  changed: false,
  diff: '',
  live: 'rendered',
  needs_replace_configuration: false,
};
export const HEALTH: HealthReport = {
  status: 'ok',
  reasons: [],
  database: { status: 'ok', reason: null },
  master_socket: { status: 'ok', reason: null, since: null },
  workers: {
    current: { pid: 11, whole: true, reason: null },
    draining: [{ pid: 10, whole: false, reason: 'blocked map: not verified' }],
  },
  map_file: { status: 'ok', reason: null, entries: 2 },
  runtime_map: { expected: 2, seen: null, big_change: null, last_verified_at: NOW.toISOString() },
  last_reload: {
    id: 'r1',
    status: 'refused',
    finished_at: NOW.toISOString(),
    error: 'refused: line 3',
    error_code: 5001,
  },
  attached: null,
  configuration_drift: {
    status: 'unknown',
    live: 'restored',
    backup: 'b1',
    added: null,
    removed: null,
    reason: 'line 3',
  },
  trusted_map: { used: true, entries: 1 },
  scheduled_reload: { reasons: ['asked for'], since: NOW.toISOString(), attempts: 1 },
  notices: [],
  unbound_keys: ['fail2ban'],
  versions: { service: '0.1.0', proxy: '3.0.11', untested: null },
};
const BLOCKED = {
  ip_address: '192.0.2.1',
  reason: null,
  blocked_by: 'ops',
  blocked_at: NOW.toISOString(),
  expires_at: null,
};
const TRUSTED = { ip_address: '192.0.2.9', note: null, added_at: NOW.toISOString(), expires_at: null };
const SOURCE = {
  name: 'drop',
  kind: 'list',
  note: null,
  release_at: null,
  created_at: NOW.toISOString(),
  claims: 2,
  alone: 1,
  last_claimed_at: NOW.toISOString(),
} as const;
const SITE = {
  domain: 'a.example',
  servers: [{ address: '10.0.0.1', port: 80, options: { check: true } }],
  names: ['www.a.example'],
  canonical: null,
  enabled: true,
  redirect: null,
  created_at: NOW.toISOString(),
  updated_at: NOW.toISOString(),
};
const SITE_PUT = { created: false, answer: { ...SITE, served: true, ignored: [], reload: RELOAD } };
const KEY_RECORD = {
  name: 'ops',
  scopes: ['admin'],
  created_at: NOW.toISOString(),
  expires_at: null,
  revoked_at: null,
  source: null,
  last_used_at: null,
};

const AUDIT_RECORD = {
  id: 7,
  at: NOW.toISOString(),
  operation: 'block',
  key: 'ops',
  source: '127.0.0.1',
  request_id: 'abc',
  ip_address: '192.0.2.1',
  target: null,
  details: { created: true, reason: null, blocked_by: 'ops', expires_at: null },
  outcome: 'done',
  status: 201,
  code: null,
  finished_at: NOW.toISOString(),
  runtime_map_updated: true,
  runtime_map_failures_total: 0,
  reload_scheduled: false,
  result: null,
};

const WEBHOOK = {
  id: 'chat',
  url: 'https://hooks.example.com/',
  events: null,
  enabled: true,
  created_at: NOW.toISOString(),
  updated_at: NOW.toISOString(),
  last_success_at: null,
  last_error: null,
  last_error_at: null,
  next_attempt_at: null,
  failing_since: null,
  pending: 0,
  missed: 0,
};

const VIEW = {
  name: 'dead-entries',
  page: '/blocked',
  query: 'source=drop&sort=blocked_at',
  created_by: 'ops',
  created_at: NOW.toISOString(),
  updated_at: NOW.toISOString(),
};

const documented = lazily(async () => new DocumentCheck(await apiDocument()));

function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

type Methods = Record<string, (...args: never[]) => unknown>;
/** Replacements for methods, by service. */
export type Overrides = { readonly [Part in keyof Services]?: Methods };

export interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
}

interface Stub {
  readonly app: App;
  /** All calls except `authenticate`, `answered`, `ended`, `hitsOf` (of each list) and the log. */
  readonly calls: Call[];
  readonly logged: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[];
  onlyCall(): readonly unknown[];
}

interface StubOptions extends AppOptions {
  /** The test's services throw errors that the document does not list for the route. */
  readonly undocumented?: boolean;
}

const PANEL: PanelFiles = { page: '<!doctype html>', problem: null, assets: new Map() };

export function stubApp(
  overrides: Overrides = {},
  { undocumented, ...options }: StubOptions = {},
  panel: PanelFiles = PANEL,
): Stub {
  const calls: Call[] = [];
  const logged: Stub['logged'][number][] = [];
  const log = (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
    void logged.push({ message, fields });
  const parts: Record<string, Methods> = { ...answers(), log: { info: log, error: log } };
  const services: Record<string, unknown> = {};
  for (const [part, methods] of Object.entries(parts)) {
    services[part] = recording(part, { ...methods, ...overrides[part as keyof Services] }, calls);
  }
  services['panel'] = panel;
  const app = createApp(services as unknown as Services, { now: () => NOW, ...options });
  if (undocumented !== true) app.addHook('onSend', refuseUndocumented);
  return {
    app,
    calls,
    logged,
    onlyCall() {
      if (calls.length !== 1) throw new Error(`${calls.length} calls: ${calls.map(({ method }) => method).join(', ')}`);
      return calls[0]!.args;
    },
  };
}

/** An undocumented answer becomes a 500. */
async function refuseUndocumented(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const { url } = request.routeOptions;
  // Without a route there is no operation.
  if (url === undefined || isPanelRoute(url) || request.method === 'HEAD' || reply.statusCode === 405) return payload;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  const contentType = String(reply.getHeader('content-type'));
  const isPacked = reply.getHeader('content-encoding') === 'gzip';
  const seen = { status: reply.statusCode, contentType, text: String(isPacked ? gunzipSync(payload) : payload) };
  if (url === '/openapi.json' && reply.statusCode === 200) return payload;
  if (reply.statusCode === 404 && JSON.parse(seen.text).code === codes.NoSuchEndpoint) return payload;
  const faults = (await documented()).answerFaults(request.method, documentedPath(url), seen);
  if (faults.length > 0) throw new Error(`the answer is not as documented: ${faults.join('; ')}`);
  return payload;
}

function recording(part: string, methods: Methods, calls: Call[]): Methods {
  // Events are checked before a rejection too.
  if (part === 'log' || part === 'events') return methods;
  const recorded: Methods = {};
  for (const [name, method] of Object.entries(methods)) {
    recorded[name] = (...args: never[]) => {
      if (!['authenticate', 'answered', 'ended', 'hitsOf'].includes(name))
        calls.push({ method: `${part}.${name}`, args });
      return method(...args);
    };
  }
  return recorded;
}

function answers(): Record<string, Methods> {
  return {
    undo: {
      undo: async () => ({
        undoes: { id: 7, operation: 'block', at: NOW.toISOString(), key: 'ops' },
        first: [{ ip_address: '192.0.2.1', source: 'manual', action: 'drop', expires_at: null }],
        ...BULK,
      }),
    },
    bulkUnblock: { unblock: async () => ({ ...BULK, added: 0, removed: 1 }) },
    blockedSet: {
      block: async () => ({ created: true, changed: true, answer: { ...BLOCKED, ...REPORT } }),
      unblock: async () => ({
        dropped: true,
        answer: { ip_address: '192.0.2.1', still_blocked_by: ['192.0.2.0/24'], ...REPORT },
      }),
      batch: async () => BULK,
      replaceAll: async (source: AsyncIterable<readonly unknown[]>) => {
        let added = 0;
        for await (const batch of source) added += batch.length;
        return { ...BULK, added };
      },
      sync: async () => ({
        runtime_map_synced: true,
        total_ips: 2,
        added: 0,
        removed: 0,
        missing_ips: [],
        unexpected_ips: [],
        wrong_value_ips: [],
        duplicate_ips: [],
        draining_workers: [{ pid: 7, synced: true }],
        map_file_updated: true,
        reload_scheduled: false,
        duration_ms: 12,
      }),
      list: async () => ({ items: [BLOCKED], next_cursor: 'next', total: 1 }),
      async *listTexts() {
        yield ['192.0.2.1', '192.0.2.2'];
        yield [];
        yield ['2001:db8::/32'];
      },
      get: async () => ({ ...BLOCKED, covered_by: [], workers: [{ pid: 7, draining: false, holds: null }] }),
      check: async () => ({
        ip_address: '192.0.2.1',
        verdict: 'blocked',
        by: '192.0.2.0/24',
        reason: null,
        expires_at: null,
        enforced: null,
        blocked_inside: [],
        blocked_inside_total: 0,
        workers: [{ pid: 7, verdict: 'blocked' }],
      }),
    },
    sources: { list: async () => [SOURCE] },
    releases: {
      get: async () => SOURCE,
      put: async () => ({ created: true, answer: SOURCE }),
      release: async (name) => ({ name, claims: 2, release_at: NOW.toISOString() }),
      keep: async (name) => ({ name, claims: 2, kept: true }),
      remove: async (name) => ({ name, claims_dropped: 2, removed: 1, ...REPORT }),
    },
    trustedIps: {
      list: async () => [TRUSTED],
      get: async () => TRUSTED,
      put: async () => ({ created: true, answer: { ...TRUSTED, ...REPORT } }),
      remove: async () => ({ ip_address: TRUSTED.ip_address, ...REPORT }),
    },
    ...stubUpstreams({ at: NOW.toISOString(), reload: RELOAD, report: REPORT }),
    ...stubCertificates(),
    ...stubAcme(),
    sites: {
      list: async () => [SITE],
      get: async () => SITE,
      put: async () => SITE_PUT,
      change: async () => SITE_PUT,
      remove: async () => ({ domain: SITE.domain, reload: RELOAD }),
      servers: async () => [
        { address: '10.0.0.1', port: 80, status: 'UP', check: 'L4OK', resolved_address: '10.0.0.1:80' },
      ],
    },
    sitesTls: stubSitesTls,
    configuration: {
      reload: async () => RELOAD,
      current: async () => ({ text: 'global\n', sha256: 'ab', path: '/etc/proxy/proxy.cfg' }),
      validate: async () => ({
        valid: false,
        output: '[ALERT]',
        sha256: 'ab',
        warnings: ['HAProxy: odd'],
        needs_replace_configuration: true,
      }),
      diff: async () => ({ ...NO_DIFF, changed: true, diff: '-a\n+b\n' }),
      reloads: async () => ({ items: [RELOAD_RECORD], next_cursor: null }),
      reloadRecord: async () => RELOAD_RECORD,
      backups: async () => [BACKUP],
      restore: async () => RELOAD,
    },
    keys: {
      authenticate: async (key: string) => (key === KEY ? { name: 'ops', scopes: ['admin'] } : null),
      list: async () => [KEY_RECORD],
      create: async () => ({ ...KEY_RECORD, key: 'secret' }),
      bind: async (name: string, source: string) => ({ ...KEY_RECORD, name, source, claims_moved: 2 }),
      revoke: async () => ({ ...KEY_RECORD, revoked_at: NOW.toISOString() }),
    },
    sessions: {
      authenticate: async (token: string) =>
        token === SESSION_TOKEN ? { name: 'ops', scopes: ['admin'], sessionEndsAt: NOW.toISOString() } : null,
      start: async () => ({ token: SESSION_TOKEN, endsAt: NOW.toISOString() }),
      end: async () => undefined,
    },
    operations: {
      ended: () => undefined,
    },
    audit: {
      page: async () => ({ items: [AUDIT_RECORD], next_cursor: null }),
    },
    events: {
      types: () => ['entry.blocked'],
      newest: () => 0,
      positionOf: () => 0,
      idOf: (place: number) => `ab-${place}`,
      read: (position: number) => ({ events: [], position, missed: false }),
      onMore: () => () => undefined,
      stopping: () => undefined,
      // An injected request waits for the end of its response.
      over: () => true,
    },
    webhooks: {
      list: async () => [WEBHOOK],
      get: async () => WEBHOOK,
      put: async () => ({ created: true, answer: { ...WEBHOOK, secret: null } }),
      remove: async (id: string) => ({ id }),
    },
    entryMap: {
      read: async () => ({
        layer: 'density',
        network: '0.0.0.0/0',
        cell_prefix: 18,
        cells: '',
        sources: [],
        blocks: [],
        sizes: [],
        widest: [],
      }),
    },
    insight: stubInsight(NOW.toISOString()),
    notices: {
      list: async () => ({ items: [], unread: 0 }),
      read: async (_caller: object, up_to: number) => ({ up_to, unread: 0 }),
    },
    views: {
      list: async () => [VIEW],
      get: async () => VIEW,
      put: async () => ({ created: true, view: VIEW }),
      remove: async (name: string) => ({ name }),
    },
    health: {
      health: async () => HEALTH,
      ready: async () => true,
    },
    metrics: {
      scrape: async (form: string) => `# ${form}\n`,
      answered: () => undefined,
    },
  };
}

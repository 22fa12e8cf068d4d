// Every endpoint with all its fields, from the app's own routes and schemas: a new field is attacked too.
import type { RouteOptions } from 'fastify';
import { isPanelRoute } from '../../src/http/panel-pages.ts';
import { stubApp } from './stub-services.ts';

export interface Endpoint {
  readonly method: string;
  /** As registered, `/api/sites/:domain`. */
  readonly url: string;
  readonly open: boolean;
  /** Has no schema. */
  readonly streamed: boolean;
  readonly pathFields: readonly string[];
  readonly queryFields: readonly string[];
  /** A valid body; undefined: none allowed. */
  readonly body: unknown;
  /** Paths to every field, also optional ones. */
  readonly bodyFields: readonly (readonly (string | number)[])[];
}

export const sampleEnd = '2090-01-01T00:00:00Z';

/** A valid value for each field name. A new field needs one. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  ip_address: '192.0.2.77',
  reason: 'a reason',
  blocked_by: 'an operator',
  expires_at: sampleEnd,
  duration_seconds: 60,
  force: true,
  allow_wide: true,
  source: 'hostile:source',
  kind: 'list',
  after_seconds: 600,
  note: 'a note',
  domain: 'hostile.example',
  names: ['www.hostile.example', '*.hostile.example'],
  canonical: null,
  to: 'https://www.example.com',
  status: 301,
  keep_path: true,
  address: '127.0.0.1',
  port: 9,
  options: { weight: 1, backup: false, max_connections: 10, check: false, ssl: 'none' },
  name: 'hostile-key',
  scopes: ['admin'],
  id: '20261120T120000000Z-1',
  url: 'https://hooks.example.com/proxy',
  events: ['entry.blocked'],
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  enabled: true,
  certificate: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
  private_key: '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n',
  allow_incomplete_chain: false,
  profile: 'shortlived',
  challenge: 'dns-01',
  preset: 'cloudflare',
  networks: ['192.0.2.0/24'],
  header: 'x-real-ip',
  chain: false,
  proxy_protocol: false,
  on_invalid: 'reject',
  redirect: 'auto',
  max_age: 31_536_000,
  include_subdomains: true,
  preload: false,
  peer: '192.0.2.77',
  value: '203.0.113.7',
  page: '/blocked',
  query: 'sort=blocked_at',
  ignored_for_seconds: 60,
  rate: 100,
  error_share: 0.5,
  error_requests: 500,
  attack_factor: 5,
  attack_minimum: 60,
  up_to: 12,
};

/** Excludes another field of the body. */
const EXCLUDED = new Set(['duration_seconds', 'preset', 'redirect']);

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

export async function endpoints(): Promise<Endpoint[]> {
  const routes: RouteOptions[] = [];
  const { app } = stubApp({}, { onRoute: (route) => routes.push(route) });
  await app.ready();
  await app.close();
  // The panel's page ignores its request; for its files see panel.test.ts.
  return routes
    .filter(({ url }) => !isPanelRoute(url))
    .flatMap((route) => [route.method].flat().map((method) => describeRoute(method, route)));
}

function describeRoute(method: string, route: RouteOptions): Endpoint {
  const schema = route.schema as { querystring?: Schema; body?: Schema } | undefined;
  const body = schema?.body === undefined ? undefined : sampleOf(schema.body, 'body');
  return {
    method,
    url: route.url,
    open: route.config?.open === true,
    streamed: route.config?.operation?.streamedBody !== undefined,
    pathFields: [...route.url.matchAll(/:([a-z_]+)/g)].map((match) => match[1] as string),
    queryFields: Object.keys(schema?.querystring?.properties ?? {}),
    body,
    bodyFields: schema?.body === undefined ? [] : fieldsOf(schema.body, body, []),
  };
}

function sampleOf(schema: Schema, name: string): unknown {
  if (schema.properties !== undefined) {
    const names = Object.keys(schema.properties).filter((field) => !EXCLUDED.has(field));
    return Object.fromEntries(names.map((field) => [field, sampleOf(schema.properties?.[field] as Schema, field)]));
  }
  if (name in SAMPLES) return SAMPLES[name];
  if (schema.items !== undefined) return [sampleOf(schema.items, name)];
  throw new Error(`there is a new field, ${name}: give it a sample, so that it is attacked`);
}

function fieldsOf(
  schema: Schema,
  sample: unknown,
  way: readonly (string | number)[],
): (readonly (string | number)[])[] {
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([name, field]) => {
      const inner = (sample as Record<string, unknown>)[name] ?? sampleOf(field, name);
      return [[...way, name], ...fieldsOf(field, inner, [...way, name])];
    });
  }
  if (schema.items !== undefined)
    return [[...way, 0], ...fieldsOf(schema.items, (sample as unknown[])[0], [...way, 0])];
  // An object without a schema has a parser of its own: its fields are the sample's.
  if (typeof sample === 'object' && sample !== null) return Object.keys(sample).map((name) => [...way, name]);
  return [];
}

export function bodyWith(body: unknown, way: readonly (string | number)[], json: string): string {
  const mark = '\u0001here\u0001';
  const copy = structuredClone(body) as Record<string | number, unknown>;
  if (way[0] === 'redirect' && way.length > 1) {
    delete copy.servers;
    copy.redirect = { to: SAMPLES.to };
  }
  let inner = copy;
  for (const step of way.slice(0, -1)) inner = inner[step] as Record<string | number, unknown>;
  const last = way.at(-1) as string | number;
  inner[last] = mark;
  if (last === 'duration_seconds') delete inner.expires_at;
  return JSON.stringify(copy).replace(JSON.stringify(mark), () => json);
}

/** `servers[0].port`, as rejections name it. */
export function fieldName(way: readonly (string | number)[]): string {
  return way.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[${step}]` : name === '' ? step : `${name}.${step}`),
    '',
  );
}

// Every hostile value in every field of every endpoint, as requests.

import { parseRedirectTarget } from '../../src/domain/site-redirect.ts';
import { parseWebhookUrl } from '../../src/domain/webhook-url.ts';
import {
  hostileBodies,
  hostileHeaders,
  hostileJson,
  hostileOthers,
  hostileRawPaths,
  hostileTexts,
  hugeTexts,
} from '../hostile-values.ts';
import { bodyWith, type Endpoint, endpoints, fieldName } from './endpoint-fields.ts';

export interface Attack {
  /** `POST /api/blocked-ips reason = "..."` */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly where: 'path' | 'query' | 'body' | 'whole body' | 'header';
  readonly field: string;
  /** As JSON; null: not JSON. */
  readonly value: string | null;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const PATH_SAMPLES: Readonly<Record<string, string>> = {
  ip_address: '192.0.2.77',
  domain: 'hostile.example',
  name: 'hostile-key',
  id: '20261120T120000000Z-1',
};

/** Must never cover an address that is blocked. */
const TRUSTED_SAMPLE = '198.51.100.77';

const JSON_TYPE = { 'content-type': 'application/json' };

export async function attacks(): Promise<Attack[]> {
  const all: Attack[] = [];
  for (const endpoint of await endpoints()) {
    if (endpoint.method === 'HEAD') continue;
    all.push(
      ...throughPath(endpoint),
      ...throughQuery(endpoint),
      ...throughBody(endpoint),
      ...throughHeaders(endpoint),
    );
  }
  return all;
}

function attack(
  endpoint: Endpoint,
  where: Attack['where'],
  field: string,
  value: string | null,
  request: Partial<Pick<Attack, 'path' | 'headers' | 'body'>>,
): Attack {
  const name = `${endpoint.method} ${endpoint.url} ${where} ${field} = ${(value ?? '').slice(0, 80)}`;
  const headers: Record<string, string> = { ...(endpoint.body === undefined ? {} : JSON_TYPE), ...request.headers };
  const body = request.body ?? (endpoint.body === undefined ? undefined : JSON.stringify(endpoint.body));
  return {
    name,
    endpoint,
    where,
    field,
    value,
    path: request.path ?? pathOf(endpoint),
    headers,
    ...(body === undefined ? {} : { body }),
  };
}

function pathOf(endpoint: Endpoint, field?: string, text?: string): string {
  return endpoint.url.replaceAll(/:([a-z_]+)/g, (_match, name: string) => {
    if (name === field) return text as string;
    if (name === 'id' && endpoint.url.startsWith('/api/audit/')) return '812';
    return name === 'ip_address' && endpoint.url.includes('trusted') ? TRUSTED_SAMPLE : (PATH_SAMPLES[name] ?? name);
  });
}

const wellFormed = hostileTexts.filter((text) => text.isWellFormed());

function throughPath(endpoint: Endpoint): Attack[] {
  return endpoint.pathFields.flatMap((field) => [
    ...wellFormed.map((text) =>
      attack(endpoint, 'path', field, JSON.stringify(text), {
        path: pathOf(endpoint, field, encodeURIComponent(text)),
      }),
    ),
    ...hostileRawPaths.map((text) => attack(endpoint, 'path', field, null, { path: pathOf(endpoint, field, text) })),
  ]);
}

function throughQuery(endpoint: Endpoint): Attack[] {
  // An unknown parameter too: every endpoint with a query rejects it.
  const fields = endpoint.queryFields.length === 0 ? [] : [...endpoint.queryFields, 'unknown_field', '__proto__'];
  return fields.flatMap((field) => [
    ...wellFormed.map((text) =>
      attack(endpoint, 'query', field, JSON.stringify(text), {
        path: `${pathOf(endpoint)}?${field}=${encodeURIComponent(text)}`,
      }),
    ),
    ...hostileRawPaths.map((text) =>
      attack(endpoint, 'query', field, null, { path: `${pathOf(endpoint)}?${field}=${text}` }),
    ),
    attack(endpoint, 'query', field, null, { path: `${pathOf(endpoint)}?${field}=1&${field}=2` }),
    attack(endpoint, 'query', field, null, { path: `${pathOf(endpoint)}?${field}[]=1` }),
  ]);
}

function throughBody(endpoint: Endpoint): Attack[] {
  const whole = hostileBodies.flatMap(([what, body]) =>
    ['application/json', 'text/plain', 'application/octet-stream'].map((type) =>
      attack(endpoint, 'whole body', `${what} as ${type}`, null, { body, headers: { 'content-type': type } }),
    ),
  );
  const values = [
    ...[...hostileTexts, ...hugeTexts, ...hostileOthers].map((value) => JSON.stringify(value)),
    ...hostileJson,
  ];
  return [
    ...(endpoint.streamed ? [] : whole),
    ...endpoint.bodyFields.flatMap((way) =>
      values.map((json) =>
        attack(endpoint, 'body', fieldName(way), json, { body: bodyWith(endpoint.body, way, json) }),
      ),
    ),
  ];
}

/** Headers that some code reads. */
export const HEADERS: readonly string[] = [
  'authorization',
  'x-request-id',
  'accept',
  'content-type',
  'content-encoding',
  'host',
  'cookie',
  'x-forwarded-for',
  'last-event-id',
];

function throughHeaders(endpoint: Endpoint): Attack[] {
  if (endpoint.method !== 'GET' && endpoint.body === undefined) return [];
  return HEADERS.flatMap((header) =>
    hostileHeaders.map((value) =>
      attack(endpoint, 'header', header, JSON.stringify(value), { headers: { [header]: value } }),
    ),
  );
}

/** One line of any text. May only shrink. */
export const FREE_TEXTS: ReadonlySet<string> = new Set(['reason', 'blocked_by', 'note', 'text']);

const ONE_LINE = /^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u;
/** What HTTP allows as the name and the value of a header: read by one pure function, and sent nowhere. */
const HEADER_PARTS: ReadonlyMap<string, RegExp> = new Map([
  ['headers[0].name', /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it excludes
  ['headers[0].value', /^[^\0-\x08\x0a-\x1f\x7f]{0,8192}$/],
]);
const PLAIN_WORD = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,252}$/;

/** Whether the value is valid, by rules written here once more. */
export function isHarmless({ endpoint, field, value, where }: Attack): boolean {
  if (where === 'header' || value === null) return true;
  let given: unknown;
  try {
    given = JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
  // A client resolves these before it sends the path (RFC 3986, 5.2.4).
  if (where === 'path' && (given === '.' || given === '..')) return true;
  // Opaque; only the store validates it.
  if (field === 'cursor' && /^[A-Za-z0-9._:=+/%-]{1,256}$/.test(String(given))) return true;
  // Searched in names and issuers.
  if (field === 'q' && endpoint.url === '/api/certificates') return ONE_LINE.test(String(given));
  // `src/x509` parses them, and takes only blocks of PEM.
  if (field === 'certificate' || field === 'private_key') return typeof given === 'string';
  // The start of an address; other text finds nothing.
  if (field === 'q' && /^[0-9A-Fa-f:./]{1,64}$/.test(String(given))) return true;
  // An administrator's choice, used only to call it.
  if (field === 'url' && typeof given === 'string' && parseWebhookUrl(given).ok) return true;
  if (field === 'redirect.to' && typeof given === 'string' && parseRedirectTarget(given, true).ok) return true;
  if (field === 'networks' && Array.isArray(given))
    return given.every((one) => typeof one === 'string' && PLAIN_WORD.test(one));
  const allowed = HEADER_PARTS.get(field);
  if (allowed !== undefined) return typeof given === 'string' && allowed.test(given);
  if (field === 'headers' || field === 'names') return Array.isArray(given) && given.length === 0;
  if (given === null || typeof given === 'boolean' || given === 0) return true;
  if (typeof given === 'object') return field === 'servers[0].options' && Object.keys(given).length === 0;
  if (typeof given === 'string') return FREE_TEXTS.has(field) ? ONE_LINE.test(given) : PLAIN_WORD.test(given);
  return false;
}

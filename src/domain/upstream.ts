// An upstream: networks of a CDN, a load balancer or another proxy in front of HAProxy, and how it names its client.
import { compareEntries, type IpEntry, parseIp } from './ip.ts';
import { quote } from './quote.ts';
import { type InvalidAction, invalidActions, modeOf, type UpstreamHeader, upstreamHeaders } from './upstream-modes.ts';

export interface Upstream {
  readonly name: string;
  /** At least one, in address order, each once. */
  readonly networks: readonly IpEntry[];
  /** Null: by PROXY protocol only. */
  readonly header: UpstreamHeader | null;
  readonly chain: boolean;
  readonly proxyProtocol: boolean;
  readonly onInvalid: InvalidAction;
  readonly note: string | null;
}

/** Why a worker does not hold a network, if the configuration is the cause. */
export const unusedUpstreamMap =
  'the live configuration does not use the upstream map, so upstreams have no effect on it: add the rules of docs/template.md, or reload with the rendered configuration';

/** A wider one is a mistake: every client inside could claim any address. */
export const widestUpstream = { 4: 10, 6: 24 } as const;
export const mostNetworks = 1_000;
/** Of all upstreams: each change compares all of them with every worker. */
export const mostNetworksTogether = 10_000;

interface FieldProblem {
  readonly name: string;
  readonly description: string;
}

export interface UpstreamFields {
  readonly networks: readonly string[];
  readonly header?: string | null | undefined;
  readonly chain?: boolean | undefined;
  readonly proxy_protocol?: boolean | undefined;
  readonly on_invalid?: string | undefined;
  readonly note?: string | null | undefined;
}

type UpstreamParse =
  | { readonly ok: true; readonly upstream: Upstream }
  | { readonly ok: false; readonly fields: readonly FieldProblem[] };

export function parseUpstream(name: string, given: UpstreamFields): UpstreamParse {
  const fields: FieldProblem[] = [];
  const networks = parseNetworks(given.networks, fields);
  const { chain = false, proxy_protocol: proxyProtocol = false, note = null } = given;
  const header = oneOf('header', given.header ?? null, upstreamHeaders, fields);
  const onInvalid = oneOf('on_invalid', given.on_invalid ?? 'reject', invalidActions, fields) ?? 'reject';
  if (header === null && given.header == null) {
    if (!proxyProtocol)
      fields.push({ name: 'header', description: 'give the header that names the client, or proxy_protocol: true' });
    if (onInvalid !== 'reject') fields.push({ name: 'on_invalid', description: 'needs a header; remove it' });
  }
  if (chain && header !== 'x-forwarded-for')
    fields.push({ name: 'chain', description: 'is only possible with the header x-forwarded-for' });
  if (fields.length > 0) return { ok: false, fields };
  return { ok: true, upstream: { name, networks, header, chain, proxyProtocol, onInvalid, note } };
}

/** What the two maps hold, by network. */
export function upstreamValues(upstreams: readonly Upstream[]): {
  readonly upstreams: ReadonlyMap<string, string>;
  readonly proxyProtocol: ReadonlyMap<string, string>;
} {
  const values = new Map<string, string>();
  const proxyProtocol = new Map<string, string>();
  for (const upstream of upstreams) {
    for (const { text } of upstream.networks) {
      values.set(text, String(modeOf(upstream)));
      if (upstream.proxyProtocol) proxyProtocol.set(text, '1');
    }
  }
  return { upstreams: values, proxyProtocol };
}

/** How many addresses may name any client, as text: `256`, or `2^96` from 2^32 on. */
export function addressesIn(networks: readonly IpEntry[]): string {
  let total = 0n;
  for (const { family, prefix } of networks) total += 1n << BigInt((family === 4 ? 32 : 128) - prefix);
  return total < 1n << 32n ? String(total) : `2^${total.toString(2).length - 1}`;
}

function parseNetworks(texts: readonly string[], fields: FieldProblem[]): IpEntry[] {
  const found = new Map<string, IpEntry>();
  for (const [index, text] of texts.entries()) {
    const name = `networks[${index}]`;
    const parsed = parseIp(text);
    if (!parsed.ok) fields.push({ name, description: parsed.why });
    else if (parsed.entry.prefix < widestUpstream[parsed.entry.family])
      fields.push({
        name,
        description: `${parsed.entry.text} is too wide for an upstream: every address in it could name any client; give networks of at least /${widestUpstream[parsed.entry.family]}`,
      });
    else if (found.has(parsed.entry.text))
      fields.push({ name, description: `${parsed.entry.text} appears twice; send it once` });
    else found.set(parsed.entry.text, parsed.entry);
  }
  return [...found.values()].sort(compareEntries);
}

function oneOf<Word extends string>(
  name: string,
  given: string | null,
  words: readonly Word[],
  fields: FieldProblem[],
): Word | null {
  if (given === null) return null;
  const word = words.find((one) => one === given.toLowerCase());
  if (word === undefined) fields.push({ name, description: `${quote(given)} is not one of ${words.join(', ')}` });
  return word ?? null;
}

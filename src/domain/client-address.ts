// Which address the built-in template's rules judge for a request, and why: the same rules, compared with HAProxy in
// `src/configuration/template/client-address-walk.test.ts` (ADR 0061).
import { addressIn, headerValues, type RequestHeaders, withoutBrackets } from './header-values.ts';
import type { IpEntry } from './ip.ts';
import { behaviorOf, type UpstreamBehavior, type UpstreamHeader } from './upstream-modes.ts';

export type { RequestHeaders } from './header-values.ts';

/** Values of X-Forwarded-For that are read; a longer chain is refused. */
export const mostSteps = 5;

/** What the maps hold for an address; as HAProxy looks it up, which `lookupForms` knows. */
export interface AddressLookup {
  /** The value in the upstream map; 0: none. */
  modeOf(address: IpEntry): number;
  isBlocked(address: IpEntry): boolean;
  isTrusted(address: IpEntry): boolean;
}

export interface AddressStep {
  readonly address: IpEntry;
  /** Which header named it; null: it is the peer. */
  readonly header: UpstreamHeader | null;
  /** Null: it is no upstream, or the rules do not read its headers any more. */
  readonly upstream: UpstreamBehavior | null;
}

/** HAProxy's buffer less `tune.maxrewrite`, by default; each line takes 8 bytes more than its name and value. */
const bufferForHeaders = 16_384 - 1_024;
const bytesOfLine = 8;

/** Whether these alone do not fit. The request line and other headers need some room too. */
export function isTooLarge(headers: RequestHeaders): boolean {
  const bytes = headers.reduce((sum, [name, value]) => sum + bytesOfLine + name.length + Buffer.byteLength(value), 0);
  return bytes > bufferForHeaders;
}

/**
 * - `too_large`: HAProxy refuses the request before any rule.
 * - `unreadable`: the request is answered with 400.
 * - `no_client`: it is served without a check of the blocked map, because an upstream named no client.
 * - `trusted`: its address is trusted, blocked or not.
 */
export type AddressVerdict = 'too_large' | 'unreadable' | 'no_client' | 'trusted' | 'blocked' | 'allowed';

export interface ClientAddress {
  /** The address that is judged, logged, and sent to servers; null: unreadable. */
  readonly client: IpEntry | null;
  /** From the peer to the client. */
  readonly steps: readonly AddressStep[];
  /** Whether the peer is an upstream. */
  readonly upstream: boolean;
  readonly verdict: AddressVerdict;
  /** What HAProxy answers itself; null: the request is passed on. */
  readonly status: 400 | 403 | 431 | null;
}

/** Whether it ended at the limit of steps, and not at a value that cannot be read. */
export function isTooLong({
  verdict,
  steps,
}: {
  readonly verdict: AddressVerdict;
  readonly steps: readonly unknown[];
}): boolean {
  return verdict === 'unreadable' && steps.length > mostSteps;
}

/** @param peer the client of the connection, or what it named in a PROXY protocol header */
export function clientAddress(peer: IpEntry, headers: RequestHeaders, lookup: AddressLookup): ClientAddress {
  return verdictOn(
    walkToClient(peer, headers, (address) => lookup.modeOf(address)),
    lookup,
  );
}

/** The verdict for the client that a walk found. */
export function verdictOn(
  { client, steps, isNamed, isRefused }: Walk,
  lookup: Pick<AddressLookup, 'isBlocked' | 'isTrusted'>,
): ClientAddress {
  const upstream = steps[0]?.upstream !== null;
  const finding = (verdict: AddressVerdict, status: 400 | 403 | null): ClientAddress => ({
    client: status === 400 ? null : client,
    steps,
    upstream,
    verdict,
    status,
  });
  if (isRefused) return finding('unreadable', 400);
  if (upstream && !isNamed) return finding('no_client', null);
  if (lookup.isTrusted(client)) return finding('trusted', null);
  return lookup.isBlocked(client) ? finding('blocked', 403) : finding('allowed', null);
}

export interface Walk {
  /** The last address that was read. */
  readonly client: IpEntry;
  readonly steps: readonly AddressStep[];
  /** Whether a header named the client. */
  readonly isNamed: boolean;
  readonly isRefused: boolean;
}

/** Without a lookup in the maps of blocked and trusted addresses. */
export function walkToClient(peer: IpEntry, headers: RequestHeaders, modeOf: AddressLookup['modeOf']): Walk {
  const values = headerValues(headers, 'x-forwarded-for').map(withoutBrackets).reverse();
  const steps: AddressStep[] = [{ address: peer, header: null, upstream: behaviorOf(modeOf(peer)) }];
  const end = (isRefused: boolean): Walk => {
    const { address: client, header } = lastOf(steps);
    return { client, steps, isNamed: header !== null, isRefused };
  };
  for (;;) {
    const { upstream } = lastOf(steps);
    if (upstream === null || upstream.header === null) return end(false);
    if (upstream.header !== 'x-forwarded-for') {
      return end(!readSingle(steps, headers, upstream.header) && upstream.onInvalid === 'reject');
    }
    const read = steps.length - 1;
    const value = values[read];
    if (value === undefined) return end(false);
    const address = read < mostSteps ? addressIn(value) : null;
    if (address === null) return end(upstream.onInvalid === 'reject');
    const next = upstream.chain ? behaviorOf(modeOf(address)) : null;
    steps.push({ address, header: 'x-forwarded-for', upstream: next });
  }
}

/** False: the header is there, but does not hold one address. */
function readSingle(steps: AddressStep[], headers: RequestHeaders, header: UpstreamHeader): boolean {
  const [value, ...more] = headerValues(headers, header);
  if (value === undefined) return true;
  const address = more.length > 0 ? null : addressIn(value);
  if (address === null) return false;
  steps.push({ address, header, upstream: null });
  return true;
}

function lastOf(steps: readonly AddressStep[]): AddressStep {
  return steps.at(-1) as AddressStep;
}

// Upstreams, blocked and trusted addresses as map files of HAProxy, and looked up as HAProxy does.
import type { AddressLookup } from '../../src/domain/client-address.ts';
import { covers, type IpEntry, lookupForms, parseIp } from '../../src/domain/ip.ts';

/** From canonical address to value. */
type MapContent = Readonly<Record<string, number>>;

export interface AddressMaps {
  readonly upstreams: MapContent;
  readonly blocked: readonly string[];
  readonly trusted: readonly string[];
}

/** Loopback addresses are peers; others are only named in headers. Each mode has a peer whose last part is the mode. */
export const sampleMaps: AddressMaps = {
  upstreams: {
    ...Object.fromEntries([1, 2, 3, 4, 5, 6, 9, 21, 22, 23, 24, 25, 26].map((mode) => [`127.0.0.${mode}`, mode])),
    // Values of no upstream, by a foreign edit; the second is another one in its last two digits.
    '127.0.0.7': 7,
    '127.0.0.103': 103,
    '10.0.0.0/8': 1,
    '10.9.0.0/16': 21,
    '100.64.0.0/10': 2,
    '172.16.0.0/12': 22,
    '173.245.48.0/20': 3,
    '192.0.2.0/24': 26,
    '2001:db8:cd::/48': 1,
    '2001:db8:ed::/48': 3,
  },
  blocked: ['203.0.113.0/24', '2001:db8:bad::/48', '10.1.0.0/16', '127.0.0.0/27', '127.0.0.66', '198.51.100.66'],
  trusted: ['198.51.100.77', '203.0.113.77', '127.0.0.67'],
};

/** By the member of RenderInput that names the file. */
export function mapFiles({ upstreams, blocked, trusted }: AddressMaps): Record<string, string> {
  const ones = (entries: readonly string[]) => entries.map((entry) => `${entry} 1\n`).join('');
  return {
    upstreamsMap: Object.entries(upstreams)
      .map(([entry, mode]) => `${entry} ${mode}\n`)
      .join(''),
    proxyProtocolMap: '127.0.0.9 9\n',
    blockedMap: ones(blocked),
    trustedMap: ones(trusted),
  };
}

export function lookupIn({ upstreams, blocked, trusted }: AddressMaps): AddressLookup {
  const [modes, denied, allowed] = [valuesOf(upstreams), setOf(blocked), setOf(trusted)];
  return {
    modeOf: (address) => modes(address),
    isBlocked: (address) => denied(address) > 0,
    isTrusted: (address) => allowed(address) > 0,
  };
}

const setOf = (entries: readonly string[]) => valuesOf(Object.fromEntries(entries.map((entry) => [entry, 1])));

/** The value of the longest network that contains the address. */
function valuesOf(content: MapContent): (address: IpEntry) => number {
  const entries = Object.entries(content)
    .map(([text, value]) => ({ entry: entryOf(text), value }))
    .sort((one, other) => other.entry.prefix - one.entry.prefix);
  return (address) => {
    for (const form of lookupForms(address)) {
      const found = entries.find(({ entry }) => entry.family === form.family && covers(entry, form));
      if (found !== undefined) return found.value;
    }
    return 0;
  };
}

export function entryOf(text: string): IpEntry {
  const read = parseIp(text);
  if (!read.ok) throw new Error(read.why);
  return read.entry;
}

import { count } from '../../../../../src/domain/counted.ts';
import { covers, type IpEntry, parseIp } from '../../../../../src/domain/ip.ts';
import { knownCdn } from '../../../../../src/domain/upstream-presets.ts';
import { presetLabels } from '../../../parts/preset-labels.ts';

export interface BlockWarning {
  readonly kind: 'trusted' | 'ends-trust' | 'trusted-inside' | 'own-address' | 'known-cdn' | 'large';
  readonly words: string;
}

export interface WarningContext {
  readonly trusted: readonly IpEntry[];
  readonly clientAddress: string | null;
  /** Trusted until some time, so that a block of exactly this address ends the trust. */
  readonly exceptions?: ReadonlySet<string> | undefined;
}

/** Larger networks get a warning: above 65,536 IPv4 addresses, or a provider's usual IPv6 allocation. */
const warningPrefix = { 4: 16, 6: 32 } as const;

/** Parsed once for many calls of `warningsFor`. */
export function trustedEntries(trusted: readonly { readonly ip_address: string }[]): IpEntry[] {
  return trusted.flatMap(({ ip_address: text }) => {
    const parse = parseIp(text);
    return parse.ok ? [parse.entry] : [];
  });
}

export function exceptionsIn(
  trusted: readonly { readonly ip_address: string; readonly expires_at: string | null }[],
): ReadonlySet<string> {
  return new Set(trusted.filter(({ expires_at: end }) => end !== null).map(({ ip_address: text }) => text));
}

export function warningsFor(
  entry: IpEntry,
  { trusted, clientAddress, exceptions = new Set() }: WarningContext,
): BlockWarning[] {
  const warnings: BlockWarning[] = [];
  const covering = trusted.filter((one) => covers(one, entry));
  const [over] = covering;
  if (covering.length === 1 && over?.text === entry.text && exceptions.has(over.text)) {
    warnings.push({ kind: 'ends-trust', words: `${over.text} has temporary trust. This block ends it.` });
  } else if (over !== undefined) {
    const words = `${over.text} is trusted, so this block would have no effect.`;
    warnings.push({ kind: 'trusted', words });
  }
  const inside = trusted.filter((one) => one !== over && covers(entry, one));
  if (inside.length > 0) {
    const some = inside
      .slice(0, 3)
      .map(({ text }) => text)
      .join(', ');
    const more = inside.length > 3 ? ` and ${inside.length - 3} more` : '';
    warnings.push({
      kind: 'trusted-inside',
      words: `${entry.text} contains trusted addresses, which stay allowed: ${some}${more}.`,
    });
  }
  const self = clientAddress === null ? null : parseIp(clientAddress);
  if (self?.ok === true && covers(entry, self.entry)) {
    const own = self.entry.text;
    const is = entry.text === own ? 'is your own address' : `contains your own address (${own})`;
    const words = `${entry.text} ${is}. You would be blocked from all sites.`;
    warnings.push({ kind: 'own-address', words });
  }
  if (entry.prefix < warningPrefix[entry.family]) warnings.push({ kind: 'large', words: sizeText(entry) });
  return warnings;
}

/** Not for each line of a list: it compares with the networks of all known CDNs. */
export function cdnWarnings(entry: IpEntry): BlockWarning[] {
  const cdn = knownCdn(entry);
  if (cdn === null) return [];
  const words = `${entry.text} belongs to ${presetLabels[cdn]}. If your sites are behind this CDN, the block denies all clients of that server: add the CDN as an upstream instead.`;
  return [{ kind: 'known-cdn', words }];
}

function sizeText({ family, prefix, text }: IpEntry): string {
  if (family === 4) return `${text} contains ${count(2 ** (32 - prefix))} addresses.`;
  return `${text} contains ${count(2 ** (48 - prefix))} /48 networks.`;
}

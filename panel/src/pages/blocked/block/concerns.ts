// What somebody who is about to block an address should know first.
import { covers, type IpEntry, parseIp } from '../../../../../src/domain/ip.ts';

export interface Concern {
  readonly kind: 'trusted' | 'trusted-inside' | 'oneself' | 'very-much';
  readonly words: string;
}

export interface Surroundings {
  readonly trusted: readonly IpEntry[];
  /** Where this page is used from, as the service sees it; null: not known. */
  readonly clientAddress: string | null;
}

/** Wider than these is more than a neighbourhood: 65,536 addresses of IPv4, a provider's whole share of IPv6. */
const widest = { 4: 16, 6: 32 } as const;

/** Once for many entries. */
export function trustedEntries(trusted: readonly { readonly ip_address: string }[]): IpEntry[] {
  return trusted.flatMap(({ ip_address: text }) => {
    const parse = parseIp(text);
    return parse.ok ? [parse.entry] : [];
  });
}

export function concernsOf(entry: IpEntry, { trusted, clientAddress }: Surroundings): Concern[] {
  const concerns: Concern[] = [];
  const over = trusted.find((one) => covers(one, entry));
  if (over !== undefined) {
    const words = `${over.text} is trusted, and trust wins: nobody would be turned away.`;
    concerns.push({ kind: 'trusted', words });
  }
  const inside = trusted.filter((one) => one !== over && covers(entry, one));
  if (inside.length > 0) {
    const some = inside
      .slice(0, 3)
      .map(({ text }) => text)
      .join(', ');
    const more = inside.length > 3 ? ` and ${inside.length - 3} more` : '';
    concerns.push({
      kind: 'trusted-inside',
      words: `${some}${more} inside it ${inside.length === 1 ? 'stays let in, since it is' : 'stay let in, since they are'} trusted.`,
    });
  }
  const self = clientAddress === null ? null : parseIp(clientAddress);
  if (self?.ok === true && covers(entry, self.entry)) {
    const words = `It covers ${self.entry.text}, from where you use this page. The sites would turn you away too.`;
    concerns.push({ kind: 'oneself', words });
  }
  if (entry.prefix < widest[entry.family]) concerns.push({ kind: 'very-much', words: howMuch(entry) });
  return concerns;
}

function howMuch({ family, prefix, text }: IpEntry): string {
  if (family === 4) return `${text} is ${(2 ** (32 - prefix)).toLocaleString('en')} addresses.`;
  return `${text} is ${(2 ** Math.min(48, 48 - prefix)).toLocaleString('en')} networks as large as one customer’s (/48).`;
}

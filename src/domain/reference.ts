import { type IpEntry, parseIp } from './ip.ts';
import { type Parsed, parsed, refused } from './parsed.ts';
import { quote } from './quote.ts';

/** What the reference on the page of a denied request says, without a log. */
export interface RequestReference {
  /** The address that HAProxy judged. */
  readonly client: IpEntry;
  /** When the request began, to the second. */
  readonly at: Date;
  /** HAProxy's count of requests; it starts again with each worker. */
  readonly count: number;
}

const form = /^([0-9A-F]{8}|[0-9A-F]{32})-([0-9A-F]{8})-([0-9A-F]{4,8})$/;

/** Of `unique-id-format %{+X}o%ci-%Ts-%rt`, in any case and with blanks around, as it is copied from a page. */
export function parseReference(text: string): Parsed<RequestReference> {
  const [, client = '', seconds = '', count = ''] = form.exec(text.trim().toUpperCase()) ?? [];
  const address = client === '' ? null : parseIp(addressText(client));
  if (address === null || !address.ok) {
    return refused(`${quote(text)} is not a reference; copy all of it from the page, such as C0000207-6925B0F5-001C`);
  }
  return parsed({
    client: address.entry,
    at: new Date(Number.parseInt(seconds, 16) * 1_000),
    count: Number.parseInt(count, 16),
  });
}

function addressText(digits: string): string {
  if (digits.length === 8) return digits.replace(/../g, (byte) => `.${Number.parseInt(byte, 16)}`).slice(1);
  return digits.replace(/..../g, (group) => `:${group}`).slice(1);
}

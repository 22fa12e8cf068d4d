import type { ClientAddressRequest } from '../api/client-address.ts';
import type { RequestHeaders } from '../domain/client-address.ts';
import { type IpEntry, parseIp } from '../domain/ip.ts';
import { invalidAddress } from './rejections.ts';

/** Errors: 101. */
export function readClientAddress({ peer, headers = [] }: ClientAddressRequest): {
  readonly peer: IpEntry;
  readonly headers: RequestHeaders;
} {
  const read = parseIp(peer);
  if (!read.ok) throw invalidAddress(read.why, 'peer');
  const { entry } = read;
  if (entry.prefix !== (entry.family === 4 ? 32 : 128))
    throw invalidAddress(`${entry.text} is a network; send the one address that connects`, 'peer');
  return { peer: entry, headers: headers.map(({ name, value }) => [name, value] as const) };
}

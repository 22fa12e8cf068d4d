import { count } from '../../../../../src/domain/counted.ts';
import type { IpEntry } from '../../../../../src/domain/ip.ts';

/** Such as "256 addresses", or "2^80 addresses" where digits say less. */
export function widthText({ family, prefix }: IpEntry): string {
  const bits = (family === 4 ? 32 : 128) - prefix;
  if (bits === 0) return 'One address';
  return bits <= 32 ? `${count(2 ** bits)} addresses` : `2^${bits} addresses`;
}

// An invalid address is a usage error, before any request.
import { type IpEntry, parseIp } from '../domain/ip.ts';
import { usageError } from './failure.ts';

/** @throws Failure (usage) with the reason for each invalid address */
export function typedAddresses(texts: readonly string[]): IpEntry[] {
  const entries: IpEntry[] = [];
  const problems: string[] = [];
  for (const text of texts) {
    const ip = parseIp(text);
    if (ip.ok) entries.push(ip.entry);
    else problems.push(ip.why);
  }
  if (problems.length > 0) throw usageError(problems.join('\n'));
  return entries;
}

/** Whether they come from standard input. @throws Failure (usage) for `-` with other operands */
export function fromStdin(texts: readonly string[]): boolean {
  if (!texts.includes('-')) return false;
  if (texts.length > 1) throw usageError('- reads addresses from standard input and must be the only operand');
  return true;
}

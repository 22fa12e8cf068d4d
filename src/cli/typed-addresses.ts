// Addresses behind a verb. A wrong one is a usage error before anything happens.
import { type IpEntry, parseIp } from '../domain/ip.ts';
import { misused } from './failure.ts';

/** @throws Failure (usage) that says of each wrong one what would be right */
export function typedAddresses(texts: readonly string[]): IpEntry[] {
  const entries: IpEntry[] = [];
  const problems: string[] = [];
  for (const text of texts) {
    const ip = parseIp(text);
    if (ip.ok) entries.push(ip.entry);
    else problems.push(ip.why);
  }
  if (problems.length > 0) throw misused(problems.join('\n'));
  return entries;
}

/** Whether they come from standard input. @throws Failure (usage) for `-` beside others */
export function fromStdin(texts: readonly string[]): boolean {
  if (!texts.includes('-')) return false;
  if (texts.length > 1) throw misused('- reads addresses from standard input and stands alone');
  return true;
}

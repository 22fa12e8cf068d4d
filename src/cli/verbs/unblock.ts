// `unblock`: takes entries away. What a network still covers stays blocked, and that is said.

import type { UnblockAnswer } from '../../api/blocked-ips.ts';
import { cutBatches } from '../bulk/batches.ts';
import { changeMany } from '../bulk/requests.ts';
import { sendBatches, sendList } from '../bulk/send.ts';
import { openSource } from '../bulk/source.ts';
import { tellBulk } from '../bulk/text.ts';
import type { ExitCode } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { exitCodeOf, runtimeLines, shortList } from '../runtime-text.ts';
import type { Session } from '../session.ts';
import { fromStdin, typedAddresses } from '../typed-addresses.ts';
import { Verb } from '../verb.ts';

export function unblockVerb(): Verb {
  return new Verb('unblock', 'take addresses or networks out of the blocked set')
    .argument('<address...>', 'as they were blocked; - reads a list from standard input')
    .example('unblock 192.0.2.1', 'one address')
    .example('unblock 192.0.2.0/24 2001:db8::/32', 'networks, each as it was blocked')
    .example('unblock - < old-list.txt', 'all of a list')
    .usage('[options] <address...>') as Verb;
}

const nothingMore = { reason: undefined, expiry: null, evenTrusted: false, allowWide: false, own: [] };

export async function unblock(session: Session, addresses: readonly string[]): Promise<ExitCode> {
  if (fromStdin(addresses)) {
    const source = await openSource('-', session.stdin);
    const result = await sendList(session, source, null, nothingMore, ({ ips }) =>
      changeMany(session, { remove: ips }),
    );
    return await tellBulk(session, source.name, result);
  }
  const entries = typedAddresses(addresses);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined) return await unblockOne(session, first.text);

  const readings = entries.map(({ text }, index) => ({
    line: index + 1,
    reading: { kind: 'entry' as const, entry: { ip: text } },
  }));
  async function* once() {
    yield readings;
  }
  const result = await sendBatches(session, { name: 'the list' }, cutBatches(once(), nothingMore), ({ ips }) =>
    changeMany(session, { remove: ips }),
  );
  return await tellBulk(session, '', result);
}

async function unblockOne(session: Session, ip: string): Promise<ExitCode> {
  session.interruption.reports(() => `it was not answered whether ${ip} is unblocked; see: proxy-manager check ${ip}`);
  const { data: answer } = await session.api.DELETE('/api/blocked-ips/{ip_address}', {
    params: { path: { ip_address: ip } },
  });
  if (session.format === 'json') await session.output.json(answer);
  else await session.output.lines(unblockLines(answer).map(harmless));
  return exitCodeOf(answer);
}

export function unblockLines(answer: UnblockAnswer): string[] {
  const { ip_address: ip, still_blocked_by: networks } = answer;
  const seen = answer.runtime_map_updated ? '; no worker has it any more' : '';
  const lines = [`${ip} has no entry of its own any more${seen}`];
  if (networks.length > 0) lines.push(`it is still blocked by ${shortList(networks)}`);
  else if (answer.runtime_map_updated) lines[0] = `${ip} is unblocked${seen}`;
  return [...lines, ...runtimeLines(answer)];
}

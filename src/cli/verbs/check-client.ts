// `check --peer ... --header ...`: which address HAProxy checks for a request.
import type { ClientAddressAnswer } from '../../api/client-address.ts';
import { isTooLong, mostSteps } from '../../domain/client-address.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import type { Session } from '../session.ts';
import { effectRemark } from './upstream.ts';

export interface ClientOptions {
  readonly peer?: string;
  readonly header?: readonly string[];
}

export async function checkClient(session: Session, { peer, header = [] }: ClientOptions): Promise<ExitCode> {
  if (peer === undefined) throw usageError('--header needs --peer, the address that connects');
  const { data: answer } = await session.api.POST('/api/client-address', {
    body: { peer, headers: header.map(headerOf) },
  });
  if (session.format === 'json') await session.output.json(answer);
  else await session.output.lines(clientLines(answer).map(harmless));
  return answer.upstreams_in_force === true ? exitCodes.done : exitCodes.partly;
}

/** `X-Forwarded-For: 203.0.113.7`. @throws Failure (usage) */
function headerOf(line: string): { name: string; value: string } {
  const [, name, value] = /^([^\s:]+):(.*)$/s.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw usageError("--header requires a name and a value, such as 'X-Forwarded-For: 203.0.113.7'");
  // As it is: the service removes the blanks that HAProxy removes, and trim() would remove more.
  return { name, value };
}

export function clientLines({
  client,
  steps,
  verdict,
  by,
  upstreams_in_force: inForce,
  upstreams_reason: reason,
}: ClientAddressAnswer): string[] {
  const lines = steps.map(({ address, header, upstream }) => {
    const who = upstream === null ? address : `${address} (upstream ${upstream})`;
    return header === null ? `${who} connects` : `${header} names ${who}`;
  });
  const remark = effectRemark({ in_force: inForce, reason });
  const unused = remark === null ? [] : [`the upstreams are ${remark}; see: proxy-manager status`];
  return [...lines, ...unused, isTooLong({ verdict, steps }) ? longChain : verdictLine(client, verdict, by)];
}

const longChain = `x-forwarded-for names more than ${mostSteps} addresses in a row, which is the limit: HAProxy answers 400`;

function verdictLine(client: string | null, verdict: ClientAddressAnswer['verdict'], by: string | null): string {
  const entry = by === client ? 'its own entry' : by;
  switch (verdict) {
    case 'too_large':
      return 'the headers are larger than the buffer of HAProxy, which refuses the request with 400, from 3.2 on with 431';
    case 'unreadable':
      return 'the next header value cannot be read, so HAProxy answers 400';
    case 'no_client':
      return `${client} names no client, so no block applies and the request is served`;
    case 'blocked':
      return `HAProxy checks ${client}: blocked by ${entry}, so it answers 403`;
    case 'trusted':
      return `HAProxy checks ${client}: trusted by ${entry}, which overrides any block`;
    case 'allowed':
      return `HAProxy checks ${client}: allowed, no entry covers it`;
  }
}

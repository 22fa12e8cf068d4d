// `export`: the whole set, for a file or another program.

import { csvRecord } from '../../lists/csv.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';
import { list, listPages } from './list.ts';

export function exportVerb(): Verb {
  return new Verb('export', 'write the whole blocked set to standard output')
    .option('--csv', 'with reason, end, who and since: ip_address,reason,expires_at,blocked_by,blocked_at')
    .example('export > blocked.txt', 'one address a line')
    .example('export --csv > blocked.csv', 'with all that is known; import reads it back')
    .example('export > all.txt && ssh other proxy-manager import --replace - < all.txt', 'to another machine') as Verb;
}

export async function exportList(
  session: Session,
  _operands: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  if (session.format === 'json') return await list(session, [], {});
  return options['csv'] === true ? await asCsv(session) : await asText(session);
}

async function asText({ api, output }: Session): Promise<ExitCode> {
  const decoder = new TextDecoder();
  const { data } = await api.GET('/api/blocked-ips', { headers: { accept: 'text/plain' }, parseAs: 'stream' });
  // A connection that breaks is an error: the list is not whole then.
  for await (const chunk of data as ReadableStream<Uint8Array>) {
    if (output.closed) return exitCodes.done;
    // Canonical addresses and newlines: nothing that a terminal obeys.
    await output.write(decoder.decode(chunk, { stream: true }));
  }
  return exitCodes.done;
}

/** Read by `import`: what is written is what is kept, whatever a terminal makes of it. */
async function asCsv({ api, output }: Session): Promise<ExitCode> {
  await output.write('ip_address,reason,expires_at,blocked_by,blocked_at\n');
  for await (const { items } of listPages({ api, output }, Number.POSITIVE_INFINITY)) {
    const records = items.map((item) =>
      csvRecord([item.ip_address, item.reason ?? '', item.expires_at ?? '', item.blocked_by ?? '', item.blocked_at]),
    );
    await output.lines(records);
  }
  return exitCodes.done;
}

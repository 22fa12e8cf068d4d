import { csvRecord } from '../../lists/csv.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import type { Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';
import { list, listPages } from './list.ts';

export function exportVerb(cli: CommandLine): Verb {
  const verb = new Verb('export', 'write the complete blocked set to standard output')
    .option('--csv', 'all fields: ip_address,reason,expires_at,blocked_by,blocked_at')
    .example('export > blocked.txt', 'one address per line')
    .example('export --csv > blocked.csv', 'all fields; import reads the file back')
    .example('export > all.txt && ssh other proxy-manager import --replace - < all.txt', 'to another machine');
  return cli.calling(verb, exportList);
}

async function exportList(session: Session, _operands: readonly string[], options: Options): Promise<ExitCode> {
  if (session.format === 'json') return await list(session, [], {});
  return options['csv'] === true ? await asCsv(session) : await asText(session);
}

async function asText({ api, output }: Session): Promise<ExitCode> {
  const decoder = new TextDecoder();
  const { data } = await api.GET('/api/blocked-ips', { headers: { accept: 'text/plain' }, parseAs: 'stream' });
  // A broken connection throws, so a truncated list is not taken for a complete one.
  for await (const chunk of data as ReadableStream<Uint8Array>) {
    if (output.closed) return exitCodes.done;
    // Only canonical addresses and newlines, so not escaped.
    await output.write(decoder.decode(chunk, { stream: true }));
  }
  return exitCodes.done;
}

/** Not escaped: `import` reads exactly what is stored. */
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

import type { BlockedIp } from '../../api/blocked-entries.ts';
import { csvRecord } from '../../lists/csv.ts';
import { formulaSafe } from '../../lists/formula-safe.ts';
import { type ClaimFilterQuery, claimFilterOf, claimFilterOptions } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import type { Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';
import { list, listPages } from './list.ts';

const fields = 'ip_address,reason,expires_at,blocked_by,blocked_at,source,kind';

export function exportVerb(cli: CommandLine): Verb {
  const verb = claimFilterOptions(
    new Verb('export', 'write the blocked set, or a part of it, to standard output')
      .option('--csv', `all fields, one line for each claim: ${fields}`)
      .option('--csv-safe', 'the same for spreadsheets: no field is run as a formula; import restores the fields')
      .option('--source <name>', 'only what this source claims'),
    'only what is claimed',
  )
    .example('export > blocked.txt', 'one address per line')
    .example('export --csv > blocked.csv', 'all fields; import reads the file back')
    .example('export --csv-safe --source drop > drop.csv', 'what one source claims, for a spreadsheet')
    .example('export > all.txt && ssh other proxy-manager import --replace - < all.txt', 'to another machine');
  return cli.calling(verb, exportList);
}

async function exportList(session: Session, _operands: readonly string[], options: Options): Promise<ExitCode> {
  const { csv, csvSafe } = options as { readonly csv?: boolean; readonly csvSafe?: boolean };
  if (csv === true && csvSafe === true) throw usageError('give either --csv or --csv-safe');
  const of = claimFilterOf(options);
  if (session.format === 'json') return await list(session, [], options);
  return csv === true || csvSafe === true ? await asCsv(session, of, csvSafe === true) : await asText(session, of);
}

async function asText({ api, output }: Session, query: ClaimFilterQuery): Promise<ExitCode> {
  const decoder = new TextDecoder();
  const { data } = await api.GET('/api/blocked-ips', {
    params: { query },
    headers: { accept: 'text/plain' },
    parseAs: 'stream',
  });
  // A broken connection throws, so a truncated list is not taken for a complete one.
  for await (const chunk of data as ReadableStream<Uint8Array>) {
    if (output.closed) return exitCodes.done;
    // Only canonical addresses and newlines, so not escaped.
    await output.write(decoder.decode(chunk, { stream: true }));
  }
  return exitCodes.done;
}

/** Exact, unless `safe`: then the header says so, and `import` restores what is stored. */
async function asCsv({ api, output }: Session, query: ClaimFilterQuery, safe: boolean): Promise<ExitCode> {
  await output.write(safe ? `${fields},escaped\n` : `${fields}\n`);
  const shown = safe ? formulaSafe : (text: string): string => text;
  for await (const { items } of listPages({ api, output }, Number.POSITIVE_INFINITY, query)) {
    const records = items
      .flatMap((item) => claimsOf(item, query))
      .map((claim) => {
        const { ip_address, reason, expires_at, blocked_by, claimed_at, source, kind } = claim;
        // An empty field means that the block keeps its expiry.
        const texts = [shown(reason ?? ''), expires_at ?? 'never', shown(blocked_by ?? ''), claimed_at, source, kind];
        return csvRecord([ip_address, ...texts, ...(safe ? [''] : [])]);
      });
    await output.lines(records);
  }
  return exitCodes.done;
}

function claimsOf({ claims, ...item }: BlockedIp, { source, reason, blocked_by: by }: ClaimFilterQuery) {
  const own = { ...item, source: 'manual', kind: 'manual' as const, claimed_at: item.blocked_at };
  const all = claims === undefined ? [own] : claims.map((claim) => ({ ...claim, ip_address: item.ip_address }));
  return all
    .filter((claim) => source === undefined || claim.source === source)
    .filter((claim) => reason === undefined || claim.reason === reason)
    .filter((claim) => by === undefined || claim.blocked_by === by);
}

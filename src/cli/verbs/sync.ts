// `sync`: file and running map brought in line with the database, and what was not right told.

import type { SyncAnswer } from '../../api/blocked-ips-bulk.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { counted, span } from '../output/times.ts';
import { shortList } from '../runtime-text.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';

export function syncVerb(): Verb {
  return new Verb('sync', 'bring map file and running proxy in line with the database, and verify')
    .option(
      '--accept-map-file',
      'rewrite a map file that is newer than the database or of another one, or to less than half',
    )
    .example('sync', 'exits 3 where the running proxy is not right afterwards') as Verb;
}

export async function sync(
  session: Session,
  _operands: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  session.interruption.reports(() => 'the sync was not answered; it goes on in the service');
  const query = options['acceptMapFile'] === true ? { accept_map_file: true } : {};
  const { data: answer } = await session.patientApi.POST('/api/blocked-ips/sync', { params: { query } });
  if (session.format === 'json') await session.output.json(answer);
  else await session.output.lines(syncLines(answer).map(harmless));
  const drained = answer.draining_workers.every(({ synced }) => synced);
  return answer.runtime_map_synced && drained ? exitCodes.done : exitCodes.partly;
}

export function syncLines(answer: SyncAnswer): string[] {
  const took = span(answer.duration_ms / 1000);
  const repaired = answer.added + answer.removed;
  const lines = [
    answer.runtime_map_synced
      ? `in sync: the running proxy holds ${counted(answer.total_ips, 'entry', 'entries')} (${took})`
      : `not in sync: ${answer.reason ?? 'the running proxy does not hold what the database does'} (${took})`,
  ];
  if (repaired > 0) lines.push(`repaired: ${answer.added} were missing, ${answer.removed} were not to be there`);
  const wrong = [
    ['missing', answer.missing_ips],
    ['not to be there', answer.unexpected_ips],
    ['with a wrong value', answer.wrong_value_ips],
    ['there twice', answer.duplicate_ips],
  ] as const;
  for (const [what, ips] of wrong) if (ips.length > 0) lines.push(`still ${what}: ${shortList(ips)}`);
  for (const { pid, synced, reason } of answer.draining_workers) {
    if (!synced) lines.push(`draining worker ${pid} is not in sync: ${reason ?? 'not verified'}`);
  }
  if (answer.map_file_updated) lines.push('the map file was rewritten');
  if (answer.reload_scheduled) lines.push('a reload follows by itself');
  return lines;
}

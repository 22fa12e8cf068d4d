import type { SyncAnswer } from '../../api/blocked-ips-bulk.ts';
import { counted } from '../../domain/counted.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { span } from '../output/times.ts';
import { shortList } from '../runtime-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';

export function syncVerb(cli: CommandLine): Verb {
  const verb = new Verb('sync', 'bring map file and running HAProxy in sync with the database, and verify them')
    .option(
      '--accept-map-file',
      'also rewrite a map file that is newer than the database, belongs to another one, or would shrink to less than half',
    )
    .example('sync', 'exits 3 if the running HAProxy is not in sync afterwards');
  return cli.calling(verb, sync);
}

async function sync(session: Session, _operands: readonly string[], options: Options): Promise<ExitCode> {
  session.interruption.reports(() => 'the service continues the sync; see: proxy-manager status');
  const query = options['acceptMapFile'] === true ? { accept_map_file: true } : {};
  const { data: answer } = await session.patientApi.POST('/api/blocked-ips/sync', { params: { query } });
  await printAnswer(session, answer, syncLines);
  const drained = answer.draining_workers.every(({ synced }) => synced);
  return answer.runtime_map_synced && drained ? exitCodes.done : exitCodes.partly;
}

export function syncLines(answer: SyncAnswer): string[] {
  const took = span(answer.duration_ms / 1000);
  const repaired = answer.added + answer.removed;
  const lines = [
    answer.runtime_map_synced
      ? `in sync: the running HAProxy has ${counted(answer.total_ips, 'entry', 'entries')} (${took})`
      : `not in sync: ${answer.reason ?? 'the running HAProxy differs from the database'} (${took})`,
  ];
  if (repaired > 0) lines.push(`repaired: ${answer.added} missing, ${answer.removed} unexpected`);
  const drift = [
    ['missing', answer.missing_ips],
    ['unexpected', answer.unexpected_ips],
    ['with a wrong value', answer.wrong_value_ips],
    ['duplicate', answer.duplicate_ips],
  ] as const;
  for (const [what, ips] of drift) if (ips.length > 0) lines.push(`still ${what}: ${shortList(ips)}`);
  for (const { pid, synced, reason } of answer.draining_workers) {
    if (!synced) lines.push(`draining worker ${pid} is not in sync: ${reason ?? 'not verified'}`);
  }
  if (answer.map_file_updated) lines.push('the map file was rewritten');
  if (answer.reload_scheduled) lines.push('a reload is scheduled');
  return lines;
}

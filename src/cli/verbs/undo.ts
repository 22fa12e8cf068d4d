import type { UndoAnswer } from '../../api/undo.ts';
import { count } from '../../domain/counted.ts';
import type { BulkResult } from '../bulk/tally.ts';
import { printBulkResult } from '../bulk/text.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow, minute } from '../output/times.ts';
import { confirm, printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';

export function undoVerb(cli: CommandLine): Verb {
  const verb = new Verb('undo', 'undo a block, an unblock, an import or another change of blocked addresses')
    .argument('<id>', 'the entry of the audit log; the column ID of: proxy-manager audit')
    .option('--dry-run', 'only report what would be done')
    .option('--yes', 'without a question')
    .example('undo 812 --dry-run', 'what it would do')
    .example('undo 812', 'says what it would do, and asks');
  return cli.calling(verb, undo);
}

async function undo(session: Session, [id = '']: readonly string[], options: Options): Promise<ExitCode> {
  if (!/^[1-9][0-9]{0,14}$/.test(id)) throw usageError(`${JSON.stringify(id)} is not the id of an audit log entry`);
  const { patientApi, output, format } = session;
  const { dryRun, yes } = options as { readonly dryRun?: boolean; readonly yes?: boolean };
  const call = async (query: { dry_run?: boolean }): Promise<UndoAnswer> => {
    const { data } = await patientApi.POST('/api/audit/{id}/undo', { params: { path: { id }, query } });
    return data;
  };
  if (dryRun === true || yes !== true) {
    const plan = await call({ dry_run: true });
    const lines = undoLines(plan, session.now());
    if (dryRun === true) {
      await printAnswer(session, plan, () => [...lines, countsText(plan)]);
      return exitCodes.done;
    }
    for (const line of format === 'json' ? [] : lines) output.remark(harmless(line));
    await confirm(session, countsText(plan), '--yes');
  }
  session.interruption.reports(() => 'it may or may not be undone; run the command again to be sure');
  const answer = await call({});
  if (format === 'json') {
    await output.json(answer);
    return answer.runtime_map_updated ? exitCodes.done : exitCodes.partly;
  }
  return await printBulkResult(session, '', answer as BulkResult);
}

/** What is done to each claim. */
export function undoLines(answer: UndoAnswer, now: Date): string[] {
  const { undoes, first, still_trusted: trusted = [], still_trusted_total: trustedTotal = 0, ...counts } = answer;
  const { operation, id, at, key } = undoes;
  const lines = first.map(({ ip_address: ip, source, action, expires_at: end }) => {
    if (action === 'drop') return `${ip}: the claim of ${source} is dropped`;
    const until = end === null ? 'permanently' : `until ${minute(end)} (${fromNow(end, now)})`;
    return `${ip}: the claim of ${source} is ${action === 'restore' ? 'restored' : 'as before'}, ${until}`;
  });
  const { added, updated, removed, still_claimed_total: stays = 0 } = counts;
  const more = added + updated + removed + stays - first.length;
  return [
    `undoes the ${operation} ${id} of ${key ?? 'the service'}, ${fromNow(at, now)}`,
    ...lines,
    ...(more > 0 ? [`and ${count(more)} more`] : []),
    ...trusted.map(({ ip_address: ip, by }) => `${ip} stays allowed: ${by === ip ? 'it' : by} is trusted`),
    ...(trustedTotal > trusted.length ? [`and ${count(trustedTotal - trusted.length)} more stay allowed`] : []),
  ];
}

function countsText({ added, updated, removed, unchanged, still_claimed_total: stays = 0 }: UndoAnswer): string {
  const counts = Object.entries({ blocked: added, changed: updated, unblocked: removed, unchanged })
    .map(([what, number]) => `${count(number)} ${what}`)
    .join(', ');
  return `would be: ${counts}${stays > 0 ? `, ${count(stays)} still blocked by other sources` : ''}`;
}

// Only one batch is in memory, whatever the length of the list.

import type { BulkAnswer } from '../../api/blocked-ips-bulk.ts';
import { count } from '../../domain/counted.ts';
import type { ListFormat } from '../../lists/format.ts';
import { readList } from '../../lists/read-list.ts';
import { PartialFailure } from '../failure.ts';
import type { Session } from '../session.ts';
import { type Batch, cutBatches } from './batches.ts';
import { type ElementDefaults, withSourceName } from './elements.ts';
import type { ListSource } from './source.ts';
import { type BulkResult, BulkTally } from './tally.ts';
import { bulkSentence, rejectionLines } from './text.ts';

type Send = (batch: Batch) => Promise<BulkAnswer>;

export async function sendList(
  session: Session,
  source: ListSource,
  format: ListFormat | null,
  defaults: ElementDefaults,
  send: Send,
): Promise<BulkResult> {
  const list = readList(source.read(), format);
  const progress = session.output.progress('sending');
  try {
    return await sendBatches(session, source, cutBatches(list.batches, defaults), send, (line) =>
      progress.show(source.share, line, 'lines'),
    );
  } catch (error) {
    throw withSourceName(source.name, error);
  } finally {
    progress.end();
  }
}

export async function sendBatches(
  session: Pick<Session, 'interruption' | 'output' | 'format'>,
  source: Pick<ListSource, 'name'>,
  batches: AsyncIterable<Batch>,
  send: Send,
  onProgress: (line: number) => void = () => undefined,
): Promise<BulkResult> {
  const tally = new BulkTally();
  let doneTo = 0;
  const soFar = (): string =>
    doneTo === 0 ? 'nothing was changed' : `applied up to line ${count(doneTo)}: ${bulkSentence(tally.result)}`;
  session.interruption.reports(soFar);
  try {
    for await (const batch of batches) {
      for (const rejected of batch.rejected) tally.reject(rejected);
      if (batch.lines.length > 0) {
        const [from, to] = [batch.lines[0]!, batch.lastLine];
        session.interruption.reports(
          () =>
            `${soFar()}; lines ${count(from)} to ${count(to)} were sent but not acknowledged. Run the command again to be sure`,
        );
        tally.add(await send(batch), (rejection) => ('index' in rejection ? (batch.lines[rejection.index] ?? 0) : 0));
      }
      doneTo = batch.lastLine;
      session.interruption.reports(soFar);
      onProgress(doneTo);
    }
  } catch (error) {
    // Nothing was applied: the error says it all.
    const { added, updated, removed, unchanged, dry_run: dryRun } = tally.result;
    if (dryRun !== true && added + updated + removed + unchanged > 0) {
      throw partialFailure(source.name, doneTo, tally.result, error);
    }
    throw error;
  }
  return tally.result;
}

/** Reports what was applied before a batch failed. */
function partialFailure(source: string, doneTo: number, done: BulkResult, cause: unknown): PartialFailure {
  const where = `${source} was applied only up to line ${count(doneTo)}: ${bulkSentence(done)}`;
  return new PartialFailure(
    [...rejectionLines(source, done), `${where}. Run the command again once the cause is fixed`].join('\n'),
    { title: 'the list was applied only in part', done_to_line: doneTo, done },
    cause,
  );
}

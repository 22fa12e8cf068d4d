// Batches, one after the other, with progress; and what was done when one of them fails.

import type { BulkAnswer } from '../../api/blocked-ips-bulk.ts';
import type { ListFormat } from '../../lists/format.ts';
import { readList } from '../../lists/read-list.ts';
import { HalfDone } from '../failure.ts';
import { count } from '../output/times.ts';
import type { Session } from '../session.ts';
import { type Batch, cutBatches } from './batches.ts';
import { type ElementDefaults, notAListFailure } from './elements.ts';
import type { ListSource } from './source.ts';
import { type BulkResult, BulkTally } from './tally.ts';
import { bulkSentence, rejectionLines } from './text.ts';

type Send = (batch: Batch) => Promise<BulkAnswer>;

/** A whole list, however long: never more than one batch of it in memory. */
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
      progress.tell(source.share, line, 'lines'),
    );
  } catch (error) {
    throw notAListFailure(source.name, error);
  } finally {
    progress.end();
  }
}

export async function sendBatches(
  session: Pick<Session, 'interruption' | 'output' | 'format'>,
  source: Pick<ListSource, 'name'>,
  batches: AsyncIterable<Batch>,
  send: Send,
  told: (line: number) => void = () => undefined,
): Promise<BulkResult> {
  const tally = new BulkTally();
  let doneTo = 0;
  const soFar = (): string =>
    doneTo === 0 ? 'nothing was changed' : `done up to line ${count(doneTo)}: ${bulkSentence(tally.result)}`;
  session.interruption.reports(soFar);
  try {
    for await (const batch of batches) {
      for (const rejected of batch.rejected) tally.reject(rejected);
      if (batch.lines.length > 0) {
        const [from, to] = [batch.lines[0]!, batch.lastLine];
        session.interruption.reports(
          () =>
            `${soFar()}; lines ${count(from)} to ${count(to)} were sent and not answered, so they may be done or not. Run it again to be sure`,
        );
        tally.add(await send(batch), (rejection) => ('index' in rejection ? (batch.lines[rejection.index] ?? 0) : 0));
      }
      doneTo = batch.lastLine;
      session.interruption.reports(soFar);
      told(doneTo);
    }
  } catch (error) {
    // A first batch that was refused says it all; later there is something done to be told of.
    const { added, updated, removed, unchanged, dry_run: dryRun } = tally.result;
    if (dryRun !== true && added + updated + removed + unchanged > 0) {
      throw halfDone(source.name, doneTo, tally.result, error);
    }
    throw error;
  }
  return tally.result;
}

/** A later batch failed; what was done is told beside why. */
function halfDone(source: string, doneTo: number, done: BulkResult, cause: unknown): HalfDone {
  const where = `${source} was not done to its end; done up to line ${count(doneTo)}: ${bulkSentence(done)}`;
  return new HalfDone(
    [...rejectionLines(source, done), `${where}. Run it again when the cause is mended`].join('\n'),
    { title: 'the list was not done to its end', done_to_line: doneTo, done },
    cause,
  );
}
